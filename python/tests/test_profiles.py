import gc
import json
import re
import subprocess
import sys

import pytest

import warplens


def test_a_workbook_has_a_sheet_for_each_table(traces, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    profile = warplens.load(traces / "gpt2_train.pt.trace.json.gz")
    path = tmp_path / "gpt2.xlsx"
    profile.to_excel(path)
    book = openpyxl.load_workbook(path)
    assert {"findings", "operators", "operators by shape", "kernels", "steps"} <= set(book.sheetnames)
    rows = list(book["operators"].values)
    assert len(rows) == len(profile.ops()) + 1
    assert dict(zip(rows[0], rows[1]))["self_device_time_total_ns"] == profile.ops()[0]["self_device_time_total_ns"]
    with pytest.raises(FileExistsError, match="overwrite=True"):
        profile.to_excel(path)


def test_import_is_quick_and_loads_no_torch():
    code = "import time; t = time.perf_counter(); import warplens, sys; print(time.perf_counter() - t, 'torch' in sys.modules)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() for _ in range(5)]
    assert all(loaded == "False" for _, loaded in runs)


def test_tables_hold_what_the_trace_holds(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    kernels = profile.table("device_events").to_pandas()
    assert len(kernels) == profile.tables()["device_events"] == len(profile.table("device_events"))
    assert kernels["name"].str.contains("pow|elementwise").any()
    assert (kernels["duration_ns"] >= 0).all()


def test_numbers_are_not_copied(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    once = profile.table("operators").to_arrow().column("start_ns").chunk(0).buffers()[1].address
    again = profile.table("operators").to_arrow().column("start_ns").chunk(0).buffers()[1].address
    assert once == again


def test_a_table_outlives_its_profile(traces):
    table = warplens.load(traces / "gpt2_train.pt.trace.json.gz").table("device_events").to_arrow()
    assert table.num_rows > 3000
    assert sum(table.column("duration_ns").to_pylist()) > 0


def test_polars_reads_the_same_stream(traces):
    polars = pytest.importorskip("polars")
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    assert polars.DataFrame(profile.table("calls")).height == profile.tables()["calls"]


def test_torch_table_equals_torch(traces):
    truth = json.loads((traces / "square.truth.json").read_text())
    rows = warplens.load(traces / "square.pt.trace.json.gz").ops(torch=True, by_shape=truth["by_shape"])
    ours = {(r["name"], r["device_type"], r["input_shapes"] if truth["by_shape"] else ""): r["self_device_time_total_ns"] for r in rows}
    for row in truth["rows"]:
        key = (row["key"], row["device_type"].split(".")[-1], row["input_shapes"] if truth["by_shape"] else "")
        assert abs(ours[key] - row["self_device_time_total"] * 1000) <= 1


def test_saved_profiles_load_again(traces, tmp_path):
    profile = warplens.load(traces / "tiny_ops.pt.trace.json.gz")
    profile.save(tmp_path / "p.wlens")
    with pytest.raises(OSError, match="exists already"):
        profile.save(tmp_path / "p.wlens")
    assert warplens.load(tmp_path / "p.wlens").tables() == profile.tables()


def test_errors_say_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.json"):
        warplens.load(tmp_path / "absent.json")
    with pytest.raises(KeyError, match="no table 'kernel'"):
        (tmp_path / "t.json").write_text('{"traceEvents": [{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}')
        warplens.load(tmp_path / "t.json").table("kernel")


def test_what_is_no_trace_is_a_wrong_value(tmp_path):
    (tmp_path / "notes.txt").write_text("no trace at all")
    with pytest.raises(ValueError, match="warplens cannot read this file"):
        warplens.load(tmp_path / "notes.txt")


def test_cuts_and_exports(traces, tmp_path):
    profile = warplens.load(traces / "gpt2_train.pt.trace.json.gz")
    step = profile.cut(step=3)
    kernels = step.tables()["device_events"]
    assert 0 < kernels < profile.tables()["device_events"]
    assert [issue["id"] for issue in step.integrity()] == ["left-out-by-the-cut"]
    step.export(tmp_path / "step.json.gz")
    assert warplens.load(tmp_path / "step.json.gz").tables()["device_events"] == kernels
    profile.export(tmp_path / "flames.svg", "flamegraph", step=2)
    assert (tmp_path / "flames.svg").read_text().startswith("<svg")
    with pytest.raises(ValueError, match="the trace has steps 2 to 3"):
        profile.cut(step=9)
    with pytest.raises(TypeError, match="no cut 'steps'"):
        profile.cut(steps=2)
    assert "rows" in repr(profile.table("calls")) and "<table>" in profile.table("calls")._repr_html_()


def test_devices():
    assert warplens.device("h200")["sms"] == 132 and len(warplens.devices()) > 5
    with pytest.raises((ValueError, FileNotFoundError), match="h2000"):
        warplens.device("h2000")


def test_a_profile_prints_as_its_summary(traces):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    assert str(profile) == str(profile.summary()) and "GPU busy" in str(profile)
    assert re.fullmatch(r"<Profile of 1 rank: \d+ operators, \d+ device events>", repr(profile))


def test_an_export_is_not_written_over(traces, tmp_path):
    profile = warplens.load(traces / "square.pt.trace.json.gz")
    profile.export(tmp_path / "part.json")
    with pytest.raises(FileExistsError, match="part.json: exists already; overwrite=True"):
        profile.export(tmp_path / "part.json")
    profile.export(tmp_path / "part.json", overwrite=True)


def test_results_outlive_the_name_of_their_profile(traces):
    path = traces / "square.pt.trace.json.gz"
    results = [warplens.load(path).findings(), warplens.load(path).ops(), warplens.load(path).summary(), warplens.load(path).diff(warplens.load(path))]
    gc.collect()
    assert all(str(result) and result._repr_html_() for result in results)


def test_sql_answers_reach_every_library_without_a_copy(traces):
    import pyarrow

    profile = warplens.load(traces / "gpt2_train.pt.trace.json.gz")
    answer = profile.query("select operator, kernels, total_ns from operator_totals")
    assert answer.columns == ["operator", "kernels", "total_ns"] and len(answer) == len(answer.data) > 5
    table = answer.to_arrow()
    assert table.to_pylist() == answer.data and table["operator"].null_count == 1
    assert table["total_ns"].chunk(0).buffers()[1].address == answer.to_arrow()["total_ns"].chunk(0).buffers()[1].address
    events = profile.table("device_events").to_pandas()
    kernels = events[events.kind == "kernel"]
    assert table.to_pandas().total_ns.sum() == kernels.duration_ns.sum()
    by_name = profile.query("select name, sum(duration_ns) as ns from kernels group by name").to_pandas().set_index("name").ns
    assert by_name.to_dict() == kernels.groupby(kernels.name.astype(str)).duration_ns.sum().to_dict()
    assert profile.query("select row from operators", limit=3).more
    with pytest.raises(ValueError, match="no such column: nope"):
        profile.query("select nope from kernels")
    with pytest.raises(ValueError, match="only read"):
        profile.query("drop table kernels")
    reader = pyarrow.RecordBatchReader.from_stream(profile.query("select 1 as a, 'x' as b, 0.5 as c, null as d"))
    assert reader.read_all().to_pylist() == [{"a": 1, "b": "x", "c": 0.5, "d": None}]


def test_duckdb_asks_the_same_tables(traces):
    duckdb = pytest.importorskip("duckdb")
    profile = warplens.load(traces / "gpt2_train.pt.trace.json.gz")
    device_events = profile.table("device_events").to_arrow()
    assert device_events.num_rows
    theirs = duckdb.sql("select name, count(*), sum(duration_ns) from device_events where kind = 'kernel' group by name order by name").fetchall()
    ours = [tuple(row.values()) for row in profile.query("select name, count(*), sum(duration_ns) from kernels group by name order by name")]
    assert sorted(theirs) == sorted(ours)


def test_parquet_folders_keep_to_themselves(traces, tmp_path):
    """Links in the folder lead nothing out of it, and no name of a file that is being written can be foreseen."""
    pytest.importorskip("pyarrow.parquet")
    profile, job, theirs = warplens.load(traces / "square.pt.trace.json.gz"), tmp_path / "job", tmp_path / "theirs"
    theirs.write_text("mine")
    (job / "kernels").mkdir(parents=True)
    for name in ("rank-00000.partial", "rank-00000.parquet"):
        (job / "kernels" / name).symlink_to(theirs)
    profile.to_parquet(job, ["kernels"], overwrite=True)
    assert theirs.read_text() == "mine" and not (job / "kernels" / "rank-00000.parquet").is_symlink()
    (tmp_path / "elsewhere").mkdir()
    (job / "copies").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="is a link"):
        profile.to_parquet(job, ["copies"], overwrite=True)
    assert not list((tmp_path / "elsewhere").iterdir())
    assert sorted(path.name for path in (job / "kernels").iterdir()) == ["rank-00000.parquet", "rank-00000.partial"]


def test_parquet_of_one_rank_twice_is_told(traces, tmp_path, capsys):
    pytest.importorskip("pyarrow.parquet")
    from warplens import parquet

    trace = str(traces / "square.pt.trace.json.gz")
    assert parquet.main([trace, trace, "-f", "-o", str(tmp_path / "job")]) == 1
    assert "has the rank of another file" in capsys.readouterr().err


def test_parquet_again_with_force_leaves_no_rank_of_an_earlier_conversion(traces, tmp_path, capsys):
    pytest.importorskip("pyarrow.parquet")
    from warplens import parquet

    ranks, job = [str(traces.parent / f"rules/ddp_straggler.rank{rank}.pt.trace.json.zst") for rank in (0, 1)], tmp_path / "job"
    assert parquet.main([*ranks, "-o", str(job)]) == 0
    (job / "kernels" / "mine.parquet").write_text("kept")
    assert parquet.main([ranks[0], "-f", "-o", str(job)]) == 0
    assert "files of an earlier conversion: rank-00001" in capsys.readouterr().err
    assert sorted(path.name for path in (job / "kernels").iterdir()) == ["mine.parquet", "rank-00000.parquet"]
    assert not list(job.glob("*/rank-00001.parquet"))
    assert parquet.main([ranks[1], "-o", str(job)]) == 0  # without -f, ranks are added


def test_parquet_folders_hold_what_queries_say(traces, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    profile = warplens.load(traces / "gpt2_train.pt.trace.json.gz")
    files = profile.to_parquet(tmp_path / "job")
    assert {f.parent.name for f in files} >= {"kernels", "gaps", "steps"} and all(f.name == "rank-00000.parquet" for f in files)
    kernels = pq.read_table(tmp_path / "job" / "kernels")
    assert kernels.column_names == profile.query("select * from kernels", limit=0).columns
    assert kernels.num_rows == len(profile.query("select row from kernels"))
    assert kernels["start_ns"].to_pylist() == sorted(kernels["start_ns"].to_pylist())
    meta = pq.ParquetFile(tmp_path / "job/kernels/rank-00000.parquet").metadata.row_group(0).column(kernels.column_names.index("duration_ns"))
    assert meta.statistics.max == max(kernels["duration_ns"].to_pylist())
    assert pq.read_schema(tmp_path / "job/allocations/rank-00000.parquet").field("bytes").type == "int64"
    with pytest.raises(FileExistsError):
        profile.to_parquet(tmp_path / "job")
    with pytest.raises(ValueError, match="no such table"):
        profile.to_parquet(tmp_path / "job", ["nothing"], overwrite=True)
