"""Calls spread over processes, threads, pools and whoever looks like a cluster's client."""
import concurrent.futures
import multiprocessing
import os

import pytest

from warplens._spread import spread

ITEMS = list(range(7))
SQUARES = [x * x for x in ITEMS]


def square(x):
    return x * x


@pytest.mark.parametrize("executor", [None, "processes", 1, 3])
def test_here_and_in_processes(executor):
    assert spread(lambda x: x * x, ITEMS, executor) == SQUARES


def test_processes_are_others():
    assert os.getpid() not in spread(lambda _: os.getpid(), ITEMS, 2)


def test_executors_and_pools():
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert spread(lambda x: x * x, ITEMS, threads) == SQUARES
    with multiprocessing.Pool(2) as pool:
        assert spread(square, ITEMS, pool) == SQUARES


def test_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        assert spread(lambda x: x * x, ITEMS, client) == SQUARES


def test_what_goes_wrong_is_raised():
    with pytest.raises(ZeroDivisionError):
        spread(lambda x: 1 // x, ITEMS, 2)
    with pytest.raises(TypeError, match="not object"):
        spread(square, ITEMS, object())
    with pytest.raises(TypeError, match="not int"):
        spread(square, ITEMS, 0)
