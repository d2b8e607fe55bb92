#include "warplens/collect/stacks/interrupted_call.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>

namespace warplens::collect {

#if defined(__x86_64__)
namespace {

constexpr uint8_t kSystemCall[] = {0x0f, 0x05};
constexpr uint8_t kLoadNumber = 0xb8;          // mov eax, NUMBER
constexpr uint8_t kLoadZero[] = {0x31, 0xc0};  // xor eax, eax
constexpr size_t kCodePage = 4096, kLongestBetween = 32;

// What ends with EINTR even with SA_RESTART (signal(7)); none of them has done anything then.
constexpr uint32_t kWaiting[] = {
    SYS_poll,        SYS_ppoll,         SYS_select,          SYS_pselect6, SYS_epoll_wait,
    SYS_epoll_pwait, SYS_epoll_pwait2,  SYS_nanosleep,       SYS_futex,    SYS_clock_nanosleep,
    SYS_pause,       SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_semop,    SYS_semtimedop,
    SYS_msgsnd,      SYS_msgrcv,        SYS_io_getevents,    SYS_accept,   SYS_accept4,
    SYS_connect,     SYS_recvfrom,      SYS_recvmsg,         SYS_recvmmsg, SYS_sendto,
    SYS_sendmsg,     SYS_read,          SYS_readv,           SYS_write,    SYS_writev,
};

/// How long an instruction is that moves values between registers and memory, as the code that prepares a call does; 0:
/// it is another.
size_t length_of_move(const uint8_t* code) {
  const size_t prefix = (*code & 0xf0) == 0x40;  // REX
  const bool is_wide = prefix != 0 && (*code & 8) != 0;
  const uint8_t operation = code[prefix];
  if ((operation & 0xf8) == kLoadNumber) return prefix + 1 + (is_wide ? 8 : 4);
  size_t constant = 0;
  switch (operation) {
    case 0x31:
    case 0x33:
    case 0x63:
    case 0x89:
    case 0x8b:
    case 0x8d: break;  // xor, movsxd, mov, lea
    case 0x80:
    case 0x83: constant = 1; break;
    case 0x81:
    case 0xc7: constant = 4; break;
    default: return 0;
  }
  const uint8_t form = code[prefix + 1] >> 6, base = code[prefix + 1] & 7;
  const size_t index = form != 3 && base == 4;
  const size_t place = form == 1 ? 1 : form == 2 || (form == 0 && base == 5) ? 4 : 0;
  return prefix + 2 + index + place + constant;
}

bool only_moves(const uint8_t* from, const uint8_t* to) {
  while (from < to) {
    const size_t bytes = length_of_move(from);
    if (bytes == 0) return false;
    from += bytes;
  }
  return from == to;
}

/// The number of the system call that ends before `place`, as the code there loads it.
std::optional<uint32_t> number_of_call(uint64_t place) {
  const size_t there = place % kCodePage;  // what lies before this page may not be mapped
  const auto* call = reinterpret_cast<const uint8_t*>(place) - sizeof kSystemCall;
  if (there < sizeof kSystemCall || std::memcmp(call, kSystemCall, sizeof kSystemCall) != 0) return std::nullopt;
  const size_t most = std::min(there - sizeof kSystemCall, kLongestBetween);
  for (size_t before = sizeof kLoadZero; before <= most; ++before) {
    const uint8_t* load = call - before;
    uint32_t number = 0;
    if (before > sizeof number && *load == kLoadNumber) std::memcpy(&number, load + 1, sizeof number);
    else if (std::memcmp(load, kLoadZero, sizeof kLoadZero) != 0) continue;
    if (only_moves(load, call)) return number;
  }
  return std::nullopt;
}

/// What a write that stopped after `done` bytes has written when all that can be is.
long finish_write(const greg_t* registers, uint32_t number, long done) {
  const auto wanted = static_cast<long>(registers[REG_RDX]);
  while (done < wanted) {
    const long more = ::syscall(number, registers[REG_RDI], registers[REG_RSI] + done, wanted - done,
                                registers[REG_R10], registers[REG_R8], registers[REG_R9]);
    if (more <= 0) break;
    done += more;
  }
  return done;
}

}  // namespace

void resume_interrupted_call(ucontext_t* context) {
  greg_t* registers = context->uc_mcontext.gregs;
  const greg_t result = registers[REG_RAX];
  const bool ended_early = result == -EINTR;
  if (!ended_early && result <= 0) return;
  const std::optional<uint32_t> number = number_of_call(static_cast<uint64_t>(registers[REG_RIP]));
  if (!number) return;
  if (ended_early && std::find(std::begin(kWaiting), std::end(kWaiting), *number) != std::end(kWaiting)) {
    registers[REG_RAX] = *number;
    registers[REG_RIP] -= static_cast<greg_t>(sizeof kSystemCall);
  } else if (!ended_early && (*number == SYS_write || *number == SYS_sendto) && result < registers[REG_RDX]) {
    registers[REG_RAX] = finish_write(registers, *number, result);
  }
}
#else
void resume_interrupted_call(ucontext_t*) {}
#endif

}  // namespace warplens::collect
