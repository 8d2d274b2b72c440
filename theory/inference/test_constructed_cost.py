"""Evidence for the cost of inference: multiply-accumulates of decoders, as torch counts them."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from constructions.inference import cost, counted, gaussian, max_entropy
from constructions.inference.gradients import LogLikelihood
from theory.evidence import Case, Constructed
from theory.inference.cost import Cost, Decoder
from theory.ledger import Submissions

torch.set_num_threads(1)


class Concatenated(nn.Module):
    """Layers of ReLUs on a latent code and z, whose columns of the first layer are multiplied apart."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        sizes = (decoder.latent + decoder.tasks, *decoder.widths)
        self.first, *later = (nn.Linear(n, m) for n, m in pairwise(sizes))
        self.later = nn.ModuleList(later)
        self.latent = torch.randn(1, decoder.latent)

    def coded(self) -> Tensor:
        """The part of the first layer that does not depend on z."""
        return self.latent @ self.first.weight[:, : self.latent.shape[-1]].T + self.first.bias

    def decoded(self, hidden: Tensor) -> Tensor:
        for layer in self.later:
            hidden = layer(hidden.relu())
        return hidden

    def forward(self, z: Tensor) -> Tensor:
        return self.decoded(self.coded() + z @ self.first.weight[:, self.latent.shape[-1] :].T)

    def looked_up(self, hidden: Tensor, task: int) -> Tensor:
        """Of z = e_task, whose column needs no product."""
        return self.decoded(hidden + self.first.weight[:, self.latent.shape[-1] + task])


def backward(ell: LogLikelihood, K: int) -> None:
    ell(max_entropy(1, K).requires_grad_()).sum().backward()


def test_costs(ledger: Submissions) -> None:
    def cases() -> Iterator[Case]:
        sizes = ((8, 10, (128, 64)), (4, 2, (16, 9)), (1, 3, (3, 7, 5)), (0, 4, (6, 2)))
        for decoder in (Decoder(*each) for each in sizes):
            net, K = Concatenated(decoder), decoder.tasks
            ell = gaussian(net, torch.randn(1, decoder.widths[-1]), 1.0)
            trained = counted(partial(backward, ell, K))
            net.requires_grad_(False)
            found = cost(ell, 1, K)
            case = {"d": decoder.latent, "K": K, "widths": decoder.widths}
            yield case | {"part": "F"}, found.forward == decoder.forward
            yield case | {"part": "frozen"}, found.one_step == Cost().step(decoder)
            yield case | {"part": "trained"}, trained == Cost().step(decoder, frozen=False)
            yield case | {"part": "all tasks"}, found.every_task == K * decoder.forward
            hidden = net.coded()
            apart = sum(counted(partial(net.looked_up, hidden, task)) for task in range(K))
            yield case | {"part": "reused"}, counted(net.coded) + apart == decoder.reused
            same = torch.allclose(net.looked_up(hidden, 1), net(one_hot(torch.tensor([1]), K).float()), atol=1e-5)
            yield case | {"part": "the same output"}, same

    def informal() -> Iterator[Case]:
        decoder = Decoder(0, 2, (1, 1))
        net = Concatenated(decoder).requires_grad_(False)
        found = cost(gaussian(net, torch.randn(1, 1), 1.0), 1, 2)
        yield {"K": 2, "widths": (1, 1)}, found.one_step == 3 * found.forward

    torch.manual_seed(0)
    ledger.submit("gbi-cost-model", Constructed("decoders with z concatenated", cases()))
    ledger.submit("gbi-cost-model-informal", Constructed("a decoder of two tasks", informal()))
