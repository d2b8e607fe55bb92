// Gives the recorder's files and sockets high descriptor numbers. So the program's descriptors keep their usual
// numbers. A program that closes the lowest ones ("all that I inherited") does not close ours or reuse their numbers.
#pragma once

namespace warplens::collect {

/// The same file with a high number, closed on exec; `descriptor` is closed. Unchanged if it is negative, or if no high
/// number is free or allowed.
int own_descriptor(int descriptor);

}  // namespace warplens::collect
