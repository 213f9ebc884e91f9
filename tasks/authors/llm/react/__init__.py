"""The one ReAct loop of all agents: think, call, read, until the answer is accepted or the turns are over."""
