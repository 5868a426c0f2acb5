"""Training of the models that play; it needs PyTorch and safetensors."""
