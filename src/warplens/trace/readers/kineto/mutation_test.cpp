// Real traces, cut off and with bytes changed. WARPLENS_MUTATIONS sets how many of each are tried on every trace; by
// default a few on the small ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/source_path.h"
#include "warplens/base/text.h"
#include "warplens/trace/readers/format.h"

namespace warplens {
namespace {

std::string whole_text(const std::string& name) {
  Result<Input> input = Input::open(tests::source_path("tests/data/traces/") + name + ".pt.trace.json.gz");
  std::string text;
  for (size_t n = 1, had = 0; n > 0; had += n) {
    text.resize(had + (size_t{1} << 20));
    n = input->read(text.data() + had, text.size() - had);
    text.resize(had + n);
  }
  return text;
}

/// Mutants of each kind; 0 when the environment does not say.
int mutants_wanted() {
  const char* wanted = std::getenv("WARPLENS_MUTATIONS");
  return wanted ? static_cast<int>(parse_int(wanted).value_or(0)) : 0;
}

std::vector<const char*> traces() {
  std::vector<const char*> names = {"square", "square_h2d", "streams", "cuda_graph", "attention"};
  if (mutants_wanted() > 0)
    names.insert(names.end(), {"tiny_ops", "gpt2_train", "gpt2_train_stack", "gpt2_compiled", "llama_decode"});
  return names;
}

struct Read {
  Status status;
  Profile profile;
};

Read read_text(const std::string& text) {
  Input input = Input::of_bytes("mutant.json", text);
  Read out;
  out.status = read_input(input, {.threads = 1, .block_bytes = 100'000}, out.profile);
  return out;
}

/// Where each event of a valid trace ends, behind its brace; and where the events begin.
struct Events {
  size_t begin = 0;
  std::vector<size_t> ends;
};

Events find_events(const std::string& text) {
  Events out;
  out.begin = text.find('[', text.find("\"traceEvents\"")) + 1;
  int depth = 0;
  bool in_string = false;
  for (size_t i = out.begin; i < text.size() && depth >= 0; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) out.ends.push_back(i + 1);
    }
  }
  return out;
}

size_t event_rows(const Tables& tables) {
  return tables.operators.size() + tables.calls.size() + tables.device_events.size() + tables.synchronizations.size() +
         tables.allocations.size() + tables.python_frames.size() + tables.overheads.size() + tables.flows.size() +
         tables.counter_samples.size() + tables.other_events.size();
}

/// Whether the event tables of `whole` begin with those of `part`, times and names alike.
void expect_begins_with(const Profile& whole, const Profile& part) {
  const auto expect = [&](const auto& more, const auto& less) {
    ASSERT_GE(more.size(), less.size());
    for (size_t i = 0; i < less.size(); ++i) {
      ASSERT_EQ(more.start_ns[i], less.start_ns[i]);
      ASSERT_EQ(more.duration_ns[i], less.duration_ns[i]);
      ASSERT_EQ(whole.text(more.name[i]), part.text(less.name[i]));
    }
  };
  expect(whole.operators, part.operators);
  expect(whole.calls, part.calls);
  expect(whole.device_events, part.device_events);
  expect(whole.python_frames, part.python_frames);
}

class Mutation : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    mutants_ = mutants_wanted() > 0 ? mutants_wanted() : 25;
    text_ = whole_text(GetParam());
    events_ = find_events(text_);
  }
  /// The trace up to the last event that ends at or before `at`, closed properly.
  std::string whole_before(size_t at) const {
    const auto next = std::upper_bound(events_.ends.begin(), events_.ends.end(), at);
    const size_t end = next == events_.ends.begin() ? events_.begin : next[-1];
    return text_.substr(0, end) + "]}";
  }

  int mutants_ = 0;
  std::string text_;
  Events events_;
  std::mt19937_64 random_{7};
};

TEST_P(Mutation, ACutTraceGivesAllWholeEventsBeforeTheCut) {
  for (int i = 0; i < mutants_; ++i) {
    const size_t at = 1 + random_() % (text_.size() - 1);
    const Read cut = read_text(text_.substr(0, at)), wanted = read_text(whole_before(at));
    ASSERT_EQ(cut.status.ok(), wanted.status.ok()) << "cut at byte " << at;
    if (!cut.status.ok()) continue;
    ASSERT_EQ(event_rows(cut.profile), event_rows(wanted.profile)) << "cut at byte " << at;
    expect_begins_with(cut.profile, wanted.profile);
    // Only white space may go without notice.
    const bool at_end = text_.find_first_not_of(" \n", at) == std::string::npos;
    ASSERT_TRUE(at_end || cut.profile.integrity.find("truncated") != nullptr) << "cut at byte " << at;
  }
}

TEST_P(Mutation, AChangedByteCostsTheEventsItTouches) {
  const size_t all = event_rows(read_text(text_).profile);
  for (int i = 0; i < mutants_; ++i) {
    std::string changed = text_;
    const size_t at = random_() % text_.size();
    changed[at] = static_cast<char>(random_());
    const Read read = read_text(changed);
    if (at < events_.begin) continue;  // anything may become of the head, but no crash
    ASSERT_TRUE(read.status.ok()) << read.status.message() << " at byte " << at;
    expect_begins_with(read.profile, read_text(whole_before(at)).profile);
    const bool array_closed_early = changed[at] == ']';
    if (array_closed_early) continue;
    ASSERT_GE(event_rows(read.profile) + 2, all) << "byte " << at << " is now " << int{changed[at]};
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, Mutation, testing::ValuesIn(traces()));

}  // namespace
}  // namespace warplens
