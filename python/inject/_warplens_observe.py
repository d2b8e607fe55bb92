"""Puts warplens' observer of operators into this process' torch; for sitecustomize and for warplens.profile."""

OPERATORS_TO_LEARN_FROM = 8


def observe(torch, library, shapes):
    """False: this torch has no place for it."""
    if not library.warplens_torch_begin(int(shapes)):
        return False
    with torch.enable_grad():
        one = torch.ones(1, requires_grad=True)
        for _ in range(OPERATORS_TO_LEARN_FROM):
            one * one
    return bool(library.warplens_torch_finish())
