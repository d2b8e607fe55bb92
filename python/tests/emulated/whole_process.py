"""warplens.emulate(cuda=True): a program that was not started by `warplens emulate` gets CUDA, once."""
import warplens

warplens.emulate("a100", cuda=True)
import torch

assert "A100" in torch.cuda.get_device_name(), torch.cuda.get_device_name()
x = torch.arange(12.0, device="cuda").reshape(3, 4)
assert torch.equal((x @ x.T).cpu(), x.cpu() @ x.cpu().T)
with warplens.emulate("a100", cuda=True):  # a second call for the same GPU changes nothing
    assert torch.equal(x, x.clone())
try:
    with warplens.emulate("h200", cuda=True):
        raise AssertionError("a second GPU in one process")
except RuntimeError as error:
    assert "already" in str(error), error
print("equal")
