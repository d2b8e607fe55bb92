/* What every libcupti of the tests has in common: who subscribed, and how calls are told of. */
#pragma once
#include <stdint.h>
#include <string.h>

typedef void (*Callback)(void*, uint32_t, uint32_t, const void*);
static Callback callback;
static void* user;

struct CallData { /* CUpti_CallbackData */
  uint32_t site;
  const char* function;
  const void* parameters;
  int* result;
  const char* symbol;
  void* context;
  uint32_t context_id;
  uint64_t* data;
  uint32_t correlation;
};

void* fake_context(void) { return &callback; }

/* Of a call that goes well, in a context that is always the same. */
static struct CallData call_data(const char* function, const void* parameters, const char* symbol,
                                 uint32_t correlation) {
  static int result;
  struct CallData data;
  memset(&data, 0, sizeof data);
  data.function = function, data.parameters = parameters, data.result = &result, data.symbol = symbol;
  data.context = fake_context(), data.context_id = 1, data.correlation = correlation;
  return data;
}

int cuptiGetVersion(uint32_t* version) { return *version = 130001, 0; }
int cuptiGetResultString(int result, const char** text) { return (void)result, *text = "CUPTI_ERROR_OF_THE_TEST", 0; }
