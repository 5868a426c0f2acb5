"""A Kaggle ConnectX agent that plays by exact scores; Kaggle calls the file's last callable."""

from c4core.adapters.kaggle import make_agent

agent = make_agent("perfect:choice=center")
