// Modelled time: a stream's clock after its work.
#pragma once
#include "warplens/cuda_api/runtime.h"

namespace warplens::cuda_api {

/// Moves the clock of the stream that works now. The legacy default stream and those that wait for it take turns.
Span spend(Runtime& runtime, double ns);
/// The same for a kernel whose blocks fill `share` of all SMs; kernels of other streams that run then share the SMs.
Span spend_on_sms(Runtime& runtime, double ns, double share);
/// When all that the current GPU was given is done.
double finished_ns(const Runtime& runtime);
/// The host waits until then, where that is recorded.
void wait_until(Runtime& runtime, Wait what, double ns, const Stream* stream = nullptr);

/// A copy between host and device.
double copy_ns(const Runtime& runtime, uint64_t size_bytes, bool pageable);
/// Within the device: a copy that reads so many bytes, `warm_sectors` of them from L2, or a fill that reads none.
double transfer_ns(const Runtime& runtime, uint64_t read_bytes, uint64_t warm_sectors, uint64_t written_bytes);

}  // namespace warplens::cuda_api
