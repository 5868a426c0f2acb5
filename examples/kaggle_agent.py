"""A ConnectX agent for Kaggle that plays by exact scores; Kaggle uses the file's last callable."""

from c4core.adapters.kaggle import make_agent

agent = make_agent("perfect:choice=center")
