#include "warplens/query/sql/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warplens::query {
namespace {

using testing::HasSubstr;

/// Two ranks with one step each; three kernels, one copy; the last kernel has no launch.
Profile small_profile() {
  Profile p;
  for (const int32_t rank : {4, 7}) {
    append(p.ranks, {.file = p.strings.intern("a"), .rank = rank, .world_size = 8});
    const auto row = static_cast<uint32_t>(p.ranks.size() - 1);
    append(p.threads, {.rank = row, .process = p.strings.intern("1"), .thread = p.strings.intern("1")});
    append(p.devices, {.rank = row, .ordinal = rank % 4, .name = p.strings.intern("GPU")});
    append(p.operators, {.start_ns = 0,
                         .duration_ns = 100,
                         .name = p.strings.intern("ProfilerStep#3"),
                         .thread = row,
                         .kind = OperatorKind::kRange});
    append(p.operators, {.start_ns = 10,
                         .duration_ns = 50,
                         .name = p.strings.intern("aten::mm"),
                         .thread = row,
                         .external_id = 5,
                         .input_shapes = p.strings.intern("[[2, 3], [3, 4]]")});
    append(p.calls, {.start_ns = 20,
                     .duration_ns = 5,
                     .name = p.strings.intern("cudaLaunchKernel"),
                     .thread = row,
                     .correlation = 9,
                     .external_id = 5});
    append(p.device_events, {.start_ns = 30,
                             .duration_ns = 40 + rank,
                             .name = p.strings.intern("gemm"),
                             .device = row,
                             .stream = 7,
                             .correlation = 9,
                             .external_id = 5,
                             .launch_config = 0,
                             .collective = kNone});
  }
  append(p.launch_configs, {.grid_x = 4, .grid_y = 1, .grid_z = 1, .block_x = 128, .occupancy = 0.5});
  append(p.device_events, {.start_ns = 90,
                           .duration_ns = 10,
                           .name = p.strings.intern("it's \"odd\""),
                           .device = 0,
                           .launch_config = kNone,
                           .collective = kNone});
  append(p.device_events, {.start_ns = 95,
                           .duration_ns = 1,
                           .name = p.strings.intern("Memcpy HtoD"),
                           .kind = DeviceEventKind::kCopy,
                           .device = 1,
                           .bytes = 64,
                           .copy_kind = CopyKind::kHostToDevice,
                           .launch_config = kNone,
                           .collective = kNone});
  return p;
}

/// Rows as "a|b; c|d"; an error's message.
std::string ask(Session& session, std::string_view sql, const Limits& limits = {}) {
  const Result<Answer> answer = session.run(sql, limits);
  if (!answer.ok()) return answer.status().message();
  std::string out;
  for (const auto& row : table_of(*answer, 0, answer->rows).rows) {
    if (!out.empty()) out += "; ";
    for (size_t i = 0; i < row.size(); ++i) out += (i ? "|" : "") + format_cell(row[i], Kind::kText);
  }
  return out + (answer->more ? " ..." : "");
}

class Query : public testing::Test {
 protected:
  std::string ask(std::string_view sql, const Limits& limits = {}) { return query::ask(*session_, sql, limits); }
  Profile profile_ = small_profile();
  std::unique_ptr<Session> session_ = std::move(Session::open(profile_)).value();
};

TEST_F(Query, ReadsColumnsOfEveryType) {
  EXPECT_EQ(ask("select row, start_ns, name, kind, device, launch_config from device_events where row <> 1"),
            "0|30|gemm|kernel|0|0; 2|90|it's \"odd\"|kernel|0|-; 3|95|Memcpy HtoD|copy|1|-");
  EXPECT_EQ(ask("select occupancy, grid_x from launch_configs"), "0.5|4");
  EXPECT_EQ(ask("select copy_kind, bytes from copies"), "host to device|64");
}

TEST_F(Query, KernelsHaveTheirOperatorStepAndRank) {
  EXPECT_EQ(ask("select name, operator, step, rank, device, block_x, input_shapes from kernels"),
            "gemm|aten::mm|3|4|0|128|[[2, 3], [3, 4]]; gemm|aten::mm|3|7|3|128|[[2, 3], [3, 4]]; "
            "it's \"odd\"|-|-|4|0|-|-");
  EXPECT_EQ(ask("select rank, step, class, count, total_ns from step_kernels"),
            "4|-|unrecognised|1|10; 4|3|gemm|1|44; 7|3|gemm|1|47");
}

TEST_F(Query, JoinsThroughRowNumbersAndIds) {
  EXPECT_EQ(ask("select e.duration_ns, c.name, o.name from device_events e join calls c on c.row = e.call "
                "join operators o on o.row = e.operator order by 1"),
            "44|cudaLaunchKernel|aten::mm; 47|cudaLaunchKernel|aten::mm");
  // The second lookup by correlation makes an index.
  EXPECT_EQ(ask("select count(*) from device_events e join calls c on c.correlation = e.correlation"), "4");
  EXPECT_EQ(ask("select count(*) from device_events e left join calls c on c.row = e.call where c.row is null"), "2");
}

TEST_F(Query, ConditionsAreSqls) {
  EXPECT_EQ(ask("select row from device_events where start_ns >= 30.5 and start_ns < 95"), "2");
  EXPECT_EQ(ask("select row from device_events where start_ns = '90'"), "2");
  EXPECT_EQ(ask("select row from device_events where kind = 'copy' or name = 'gemm' order by row"), "0; 1; 3");
  EXPECT_EQ(ask("select row from device_events where name = 'GEMM' collate nocase"), "0; 1");
  EXPECT_EQ(ask("select row from device_events where name in ('gemm', 'nothing')"), "0; 1");
  EXPECT_EQ(ask("select count(*) from device_events where kind = null"), "0");
  EXPECT_EQ(ask("select count(*) from device_events where launch_config is null"), "2");
  EXPECT_EQ(ask("select count(*) from device_events where launch_config is null and step is not null"), "0");
  EXPECT_EQ(ask("select count(*) from launch_configs where occupancy < 0.5"), "0");
  EXPECT_EQ(ask("select count(*) from launch_configs where occupancy <= 0.5"), "1");
  EXPECT_EQ(ask("select count(*) from device_events where start_ns > 9223372036854775807"), "0");
  EXPECT_EQ(ask("select count(*) from device_events where start_ns > -1e300"), "4");
}

TEST_F(Query, AnswersKeepTheirTypes) {
  EXPECT_EQ(ask("select 1 union all select 2.5 union all select null"), "1; 2.5; -");
  EXPECT_EQ(ask("select 1 union all select 'x'"), "1; x");
  const Answer twice = *session_->run("select a.name, b.name from devices a, devices b");
  EXPECT_EQ(twice.columns[0].name(), "name");
  EXPECT_EQ(twice.columns[1].name(), "name_2");
}

TEST_F(Query, OnlyReads) {
  for (const char* sql :
       {"delete from kernels", "create table x(a)", "attach 'x' as y", "pragma journal_mode",
        "insert into kernels values (1)", "update kernels set row = 1", "vacuum", "begin", "drop table kernels",
        "create temp trigger t instead of insert on kernel_totals begin select 1; end"})
    EXPECT_THAT(ask(sql), HasSubstr("a profile is only read")) << sql;
  EXPECT_THAT(ask("select load_extension('x')"), HasSubstr("a profile is only read: this statement loads extensions"));
  EXPECT_THAT(ask("select 1; select 2"), HasSubstr("one statement at a time"));
  EXPECT_THAT(ask(" -- nothing"), HasSubstr("there is no statement"));
  EXPECT_EQ(ask("select 1; -- and no more"), "1");
}

TEST_F(Query, ErrorsNameThePlaceAndWhatThereIs) {
  EXPECT_EQ(ask("select nam from kernels"),
            "no such column: nam; did you mean name?\n  select nam from kernels\n         ^");
  EXPECT_THAT(ask("select cause from kernels"), HasSubstr("cause is a column of gaps, idle_causes"));
  EXPECT_EQ(ask("select *\nfrom kernal"), "no such table: kernal; did you mean kernels?\n  from kernal\n       ^");
  EXPECT_THAT(ask("select 1 +"), HasSubstr("incomplete input"));
  EXPECT_THAT(ask("select \"\xff\xfe"), HasSubstr("unrecognized token"));
}

TEST_F(Query, HasLimits) {
  EXPECT_EQ(ask("select row from device_events", {.rows = 2}), "0; 1 ...");
  EXPECT_EQ(ask("select row from device_events", {.rows = 4}), "0; 1; 2; 3");
  const std::string endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";
  EXPECT_THAT(ask(endless, {.time_ns = 20'000'000}), HasSubstr("--time-limit"));
  EXPECT_EQ(ask("select 1"), "1");
  EXPECT_THAT(ask("select length(zeroblob(1000000000))"), HasSubstr("too big"));
}

TEST_F(Query, EveryTableCanBeRead) {
  for (const QueryTable& table : session_->catalog().tables()) {
    const Result<Answer> answer = session_->run("select * from " + table.name);
    ASSERT_TRUE(answer.ok()) << table.name << ": " << answer.status().message();
    EXPECT_EQ(answer->columns.size(), table.columns.size()) << table.name;
    for (size_t i = 0; i < table.columns.size(); ++i)
      EXPECT_EQ(answer->columns[i].name(), table.columns[i].name) << table.name;
  }
}

}  // namespace
}  // namespace warplens::query
