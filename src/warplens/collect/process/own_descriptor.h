// The recorder's files and sockets have numbers out of the program's way: what the program opens is numbered as ever,
// and where it closes the lowest ones ("all that I inherited") it does not close ours, or open its own in their place.
#pragma once

namespace warplens::collect {

/// The same file by a high number, closed on exec; `descriptor` is gone. As it was where no high number is free or
/// allowed, and where it is negative.
int own_descriptor(int descriptor);

}  // namespace warplens::collect
