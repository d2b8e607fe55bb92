"""For agents of both kinds: compiles an attempt, and says whether its results equal those of the reference. check.py ATTEMPT"""
import json
import pathlib
import subprocess
import sys

done = subprocess.run(["warplens", "judge", "challenge.py", sys.argv[1], "--json", "--timed-elements", "1"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True)
if not done.stdout:
    raise SystemExit(done.stderr)
(judged,) = json.loads(done.stdout)["judgements"]
wrong = judged["wrong"] + [k["evidence"][0] for k in judged["kinds"]]
print("right" if judged["verdict"] == "accepted" else "wrong: " + ("; ".join(wrong) or judged["why"]))
