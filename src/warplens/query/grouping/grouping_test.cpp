// Groups computed on columns are what SQLite's own machine makes of the rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "warplens/base/text.h"
#include "warplens/query/grouping/group_ids.h"
#include "warplens/query/grouping/plan.h"
#include "warplens/query/sql/session.h"

namespace warplens::query {
namespace {

Profile random_profile() {
  std::mt19937_64 random(7);
  Profile p;
  append(p.ranks, {.rank = 3});
  append(p.threads, {.rank = 0});
  append(p.devices, {.rank = 0, .ordinal = 1});
  append(p.launch_configs, {.grid_x = 4, .shared_bytes = 100, .occupancy = 0.25});
  append(p.launch_configs, {.grid_x = -1, .shared_bytes = 1, .occupancy = -1});
  const char* names[] = {"", "a", "B", "b c", "\xc3\xa9"};
  for (int64_t i = 0; i < 9000; ++i)
    append(p.device_events, {.start_ns = i * 3,
                             .duration_ns = static_cast<int64_t>(random() % 1000),
                             .name = p.strings.intern(names[random() % 5]),
                             .kind = static_cast<DeviceEventKind>(random() % 3),
                             .stream = static_cast<int64_t>(random() % 3) - 1,
                             .correlation = static_cast<int64_t>(random()),
                             .bytes = static_cast<int64_t>(random() % 7),
                             .launch_config = random() % 3 == 0 ? kNone : static_cast<uint32_t>(random() % 2),
                             .collective = kNone});
  return p;
}

std::string text_of(const Result<Answer>& answer) {
  if (!answer.ok()) return answer.status().message();
  return to_csv(table_of(*answer, 0, answer->rows));
}

class Grouping : public testing::Test {
 protected:
  Profile profile_ = random_profile();
  std::unique_ptr<Session> session_ = std::move(Session::open(profile_)).value();
};

TEST_F(Grouping, AnswersAsSqliteDoes) {
  for (const char* sql :
       {"select name, count(*) from device_events group by name",
        "select name, kind, sum(duration_ns) as total from device_events group by name, kind order by total desc, 1",
        "select kind, count(*) n, 1 from device_events group by kind",
        "select stream, avg(duration_ns), min(duration_ns), max(bytes), total(bytes) from device_events group by "
        "stream",
        "select launch_config, count(launch_config), sum(launch_config) from device_events group by 1",
        "select name, round(sum(duration_ns) / 1000.0, 2) as us from device_events where kind = 'kernel' and "
        "start_ns >= 300 and start_ns < 2e4 group by name having count(*) > 5 order by us desc limit 3",
        "select count(*), sum(bytes) from device_events",
        "select count(*), sum(bytes), total(bytes), max(bytes) from device_events where kind = 'range'",
        "select name from device_events where stream is not null and launch_config is null group by name;",
        "select \"name\", cast(avg(bytes) as integer) from device_events where bytes between 2 and 5 group by \"name\"",
        "select grid_x, sum(occupancy), min(occupancy), count(occupancy) from kernels group by grid_x",
        "select case when name = 'a' then 'x' else name end as n, count(*) from kernels group by name order by n limit "
        "2 "
        "offset 1",
        "select correlation, stream, count(*) from device_events group by correlation, stream",
        "select stream, start_ns, launch_config, count(*) from device_events group by stream, start_ns, launch_config",
        "select bytes, launch_config, name, kind, stream, count(*) from device_events group by bytes, launch_config, "
        "name, kind, stream",
        "select max(occupancy) from kernels where name = 'no such name'",
        "select count(*) + 1, sum(duration_ns) * 1.0 / count(*) from kernels where rank = 3 and stream = -1"}) {
    EXPECT_TRUE(plan_grouping(sql, session_->catalog()) ||
                std::string_view(sql).find(" n, 1") != std::string_view::npos)
        << sql;
    EXPECT_EQ(text_of(session_->run(sql)), text_of(session_->run(sql, {.row_by_row = true}))) << sql;
  }
}

TEST_F(Grouping, WhatItDoesNotKnowGoesThroughSqlite) {
  for (const char* sql :
       {"select name, start_ns, count(*) from device_events group by name", "select count(distinct name) from kernels",
        "select name, group_concat(kind) from device_events group by name",
        "select name, count(*) from device_events e group by name",
        "select name, count(*) from device_events where duration_ns % 2 = 0 group by name",
        "select name, count(*) from device_events where name = 'a' or kind = 'copy' group by name",
        "select name, sum(correlation) from device_events group by name",
        "select min(name), max(kind) from device_events", "select * from devices",
        "select name, count(*) from kernel_totals group by name",
        "select sum(duration_ns) as duration_ns, name from kernels group by name order by duration_ns",
        "select name, count(*) filter (where bytes > 3) from device_events group by name",
        "select distinct name, count(*) from device_events group by name, kind",
        "select name, count(*) from device_events where name like 'a%' group by name",
        "select name, (select 1) from device_events group by name",
        "select row_number() over (order by name), count(*) from device_events group by name"})
    EXPECT_EQ(text_of(session_->run(sql)), text_of(session_->run(sql, {.row_by_row = true}))) << sql;
}

TEST(GroupIds, NumberPairsInTheOrderInWhichTheyAreSeen) {
  std::mt19937_64 random(11);
  for (const int64_t range : {int64_t{3}, int64_t{700}, int64_t{40'000}, int64_t{1} << 22, INT64_MAX}) {
    for (const uint32_t before : {1U, 5U, 3000U}) {
      GroupIds numbers;
      std::map<std::pair<uint32_t, int64_t>, uint32_t> known;
      for (int block = 0; block < 20; ++block) {
        std::vector<int64_t> keys;
        std::vector<uint32_t> ids, wanted;
        for (int i = 0; i < 1000; ++i) {
          const int64_t small = static_cast<int64_t>(random() % 50) - 10;
          const auto key = static_cast<int64_t>(random() % static_cast<uint64_t>(range));
          // At first few keys, then all: NULL and negative ones too.
          keys.push_back(block < 3 || i % 9 != 0 ? small : i % 7 == 0 ? kNoValue : i % 5 == 0 ? -key : key);
          ids.push_back(static_cast<uint32_t>(random() % before));
          wanted.push_back(
              known.try_emplace({ids.back(), keys.back()}, static_cast<uint32_t>(known.size())).first->second);
        }
        numbers.refine(keys, ids);
        ASSERT_EQ(ids, wanted) << range << ", " << before;
      }
      EXPECT_EQ(numbers.count(), known.size());
    }
  }
}

}  // namespace
}  // namespace warplens::query
