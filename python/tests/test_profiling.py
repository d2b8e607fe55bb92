import torch

import warplens


def step(x):
    with warplens.record_function("my block"):
        return (x @ x).relu().sum()


def test_profile_without_schedule():
    with warplens.profile() as p:
        step(torch.randn(64, 64))
    names = {row["name"] for row in p.result.ops(torch=True)}
    assert {"aten::mm", "aten::relu", "my block"} <= names


def test_schedule_records_its_active_steps():
    ready = []
    with warplens.profile(schedule=warplens.schedule(wait=1, warmup=1, active=2, repeat=1), on_trace_ready=ready.append) as p:
        for _ in range(6):
            step(torch.randn(8, 8))
            p.step()
    assert ready == [p]
    assert len(p.results) == 1
    assert "ProfilerStep#2" in set(p.result.table("operators").to_pandas()["name"])


def test_trace_handler_drops_into_torch_profiler(tmp_path, capsys):
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU],
                                on_trace_ready=warplens.trace_handler(str(tmp_path), worker_name="w", findings=False)):
        step(torch.randn(8, 8))
    (written,) = tmp_path.iterdir()
    assert written.name.startswith("w.") and written.name.endswith(".pt.trace.json.gz")
    assert warplens.load(written).tables()["operators"] > 0
