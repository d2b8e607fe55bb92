# What lies beside an installed program: the data of `warplens demo` (examples/demo) and the kernels of `warplens bench SUITE`, in the
# wheel too, and the man pages.
set(demo_examples softmax_triton.json probe.json)
set(demo_kernels softmax_triton.ptx probe.cu reduce.cu)
list(TRANSFORM demo_examples PREPEND examples/)
list(TRANSFORM demo_kernels PREPEND examples/kernels/)
foreach(component python Unspecified)
  install(FILES tests/data/traces/gpt2_train.pt.trace.json.gz examples/demo/reduce.json ${demo_examples}
          DESTINATION share/warplens/demo COMPONENT ${component})
  install(FILES examples/demo/kernels/reduce.ptx ${demo_kernels} DESTINATION share/warplens/demo/kernels COMPONENT ${component})
  install(DIRECTORY kernels/ DESTINATION share/warplens/kernels COMPONENT ${component})
endforeach()
install(DIRECTORY docs/man/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
