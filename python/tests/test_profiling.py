import json

import pytest
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


def rows(profile):
    wanted = {(row["name"], row["input_shapes"]): row["count"] for row in profile.ops(by_shape=True)}
    return {key: count for key, count in wanted.items() if key[0].startswith("aten::")}


def test_own_recorder_has_the_operators_that_torch_has():
    schedule = warplens.schedule(wait=1, warmup=1, active=2, repeat=2)
    weight = torch.randn(16, 16, requires_grad=True)
    profiles = []
    for recorder in ("torch", "warplens"):
        with warplens.profile(schedule=schedule, recorder=recorder) as p:
            for _ in range(9):
                with warplens.record_function("my block"):
                    (torch.randn(8, 16) @ weight).relu().sum().backward()
                p.step()
        assert len(p.results) == 2
        profiles.append(p)
    for theirs, ours in zip(profiles[0].results, profiles[1].results):
        assert rows(ours) == rows(theirs)
    names = profiles[1].result.table("operators").to_pandas()["name"]
    assert {"my block", "ProfilerStep#6", "ProfilerStep#7"} <= set(names) and "ProfilerStep#5" not in set(names)


def test_own_recorder_has_the_inputs_that_torch_has():
    x, half = torch.ones(8, 8), torch.ones(8, 8, dtype=torch.bfloat16)
    seen = []
    for recorder in ("torch", "warplens"):
        with warplens.profile(recorder=recorder, record_shapes=True) as p:
            x.pow(2), x.pow(-0.5), x.mul(1e-7), half.float(), x.sum([0, 1]), x.add(half, alpha=1 / 3), x.view(4, -1)
            torch.cat([x, x]), torch._foreach_add([x, x], [1.0, 2.5]), torch.full((2,), True), x.softmax(-1), x.mean()
        table = p.result.table("operators").to_pandas()
        table = table[table["name"].str.startswith("aten::")]
        inputs = zip(*(table[column] for column in ("name", "input_shapes", "input_types", "concrete_inputs")))
        seen.append([(name, *(json.loads(text) for text in texts)) for name, *texts in inputs if texts[0]])
    assert len(seen[0]) > 30 and seen[0] == seen[1]


def test_own_recorder_exports_and_records_without_a_schedule(tmp_path):
    with warplens.profile(recorder="warplens") as p:
        torch.randn(4, 4).exp()
    p.export_chrome_trace(str(tmp_path / "trace.json"))
    assert {"aten::exp"} <= {row["name"] for row in warplens.load(tmp_path / "trace.json").ops()}


def test_one_recorder_at_a_time():
    with warplens.profile(recorder="warplens") as p:
        with pytest.raises(RuntimeError, match="at work already"):
            warplens.profile(recorder="warplens").__enter__()
        torch.randn(4, 4).exp()
    assert "aten::exp" in {row["name"] for row in p.result.ops()}


def test_unknown_recorder():
    with pytest.raises(ValueError, match="recorder='mine'"):
        warplens.profile(recorder="mine")


def test_step_outside_of_a_recording_does_nothing():
    warplens.step()
