#include "warplens/cli/run.h"

int main(int argc, char** argv) { return warplens::cli::run({argv + 1, argv + argc}); }
