"""What two ranks get from each of torch.distributed's calls, against what they must get. `collectives.py CASE` runs one of the wrong programs below."""
import os
import sys
import tempfile

import torch
import torch.distributed as dist

RANKS = 3


def given(rank, dtype=torch.float32):
    return (torch.arange(1, 13) * (rank + 1) % 7 + rank).to(dtype).cuda()


def all_of(dtype=torch.float32):
    return torch.stack([given(rank, dtype) for rank in range(RANKS)])


def same(got, want, what, rtol=0.0):
    torch.testing.assert_close(got, want, rtol=rtol, atol=0, msg=lambda text: f"{what}: {text}")


def reductions(rank):
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8):
        for op, of in ((dist.ReduceOp.SUM, lambda t: t.sum(0)), (dist.ReduceOp.MAX, lambda t: t.amax(0)), (dist.ReduceOp.MIN, lambda t: t.amin(0)),
                       (dist.ReduceOp.PRODUCT, lambda t: t.prod(0))):
            x = given(rank, dtype)
            dist.all_reduce(x, op=op)
            same(x, of(all_of(dtype)).to(dtype), f"all_reduce {op} {dtype}")
    x = given(rank)
    dist.reduce(x, 1)
    same(x, all_of().sum(0) if rank == 1 else given(rank), "reduce")
    out = torch.empty(4, device="cuda")
    dist.reduce_scatter_tensor(out, given(rank), op=dist.ReduceOp.AVG)
    same(out, (all_of().sum(0) / RANKS)[4 * rank:4 * rank + 4], "reduce_scatter", 1e-6)  # PyTorch multiplies by 1/3


def movements(rank):
    x = given(rank)
    dist.broadcast(x, 2)
    same(x, given(2), "broadcast")
    out = torch.empty(RANKS * 12, device="cuda")
    dist.all_gather_into_tensor(out, given(rank))
    same(out, all_of().flatten(), "all_gather_into_tensor")
    parts = [torch.empty(12, device="cuda") for _ in range(RANKS)]
    dist.all_gather(parts, given(rank))
    same(torch.stack(parts), all_of(), "all_gather")
    out = torch.empty(12, device="cuda")
    dist.all_to_all_single(out, given(rank))
    same(out, all_of()[:, 4 * rank:4 * rank + 4].flatten(), "all_to_all_single")
    kept = [None] * RANKS
    dist.all_gather_object(kept, {"rank": rank})
    assert kept == [{"rank": r} for r in range(RANKS)]
    dist.barrier()


def messages(rank):
    right, left = (rank + 1) % RANKS, (rank - 1) % RANKS
    got = torch.empty(12, device="cuda")
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, given(rank), right), dist.P2POp(dist.irecv, got, left)]):
        work.wait()
    same(got, given(left), "batch_isend_irecv")
    for count in (1, 5):  # in order
        if rank == 0:
            dist.send(torch.full((count,), 7.0, device="cuda"), 1)
        elif rank == 1:
            out = torch.empty(count, device="cuda")
            dist.recv(out, 0)
            same(out, torch.full((count,), 7.0, device="cuda"), "recv")


def groups(rank):
    both = dist.new_group([0, 2])
    if rank != 1:
        x = given(rank)
        dist.all_reduce(x, group=both)
        same(x, given(0) + given(2), "a group of two")
    split = dist.split_group(split_ranks=[[0, 1], [2]])
    x = given(rank)
    dist.all_reduce(x, group=split)
    same(x, given(0) + given(1) if rank < 2 else given(2), "split_group")


def graph(rank):
    x = given(rank)
    dist.all_reduce(x)  # makes the communicator
    x, made = given(rank), torch.cuda.CUDAGraph()
    with torch.cuda.graph(made):
        dist.all_reduce(x)
    same(x, given(rank), "a captured call has not run")
    made.replay()
    same(x, all_of().sum(0), "a graph")


def right(rank):
    for part in (reductions, movements, messages, groups, graph):
        part(rank)
    x = torch.ones(3_000_000, device="cuda")  # more than a chunk
    dist.all_reduce(x)
    same(x, torch.full_like(x, RANKS), "a large all_reduce")


def different(rank):
    """Rank 1 has another shape."""
    dist.all_reduce(torch.ones(8 if rank == 1 else 4, device="cuda"))
    torch.cuda.synchronize()


def gone(rank):
    """Rank 1 ends before the others call."""
    dist.all_reduce(torch.ones(4, device="cuda"))
    if rank == 1:
        os._exit(3)
    dist.all_reduce(torch.ones(4, device="cuda"))


def one_rank(rank, case, folder):
    torch.cuda.set_device(rank)
    device = torch.device("cuda", rank)
    dist.init_process_group("nccl", init_method=f"file://{folder}/store", rank=rank, world_size=RANKS, device_id=device)
    globals()[case](rank)
    dist.destroy_process_group()


def main():
    case = sys.argv[1] if len(sys.argv) > 1 else "right"
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(one_rank, (case, folder), nprocs=RANKS)
    print("equal")


if __name__ == "__main__":
    main()
