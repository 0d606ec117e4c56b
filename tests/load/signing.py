"""What a receipt costs a worker, and what its time says of the number signed: `python -m tests.load.signing`.

Python promises nothing about constant time. Numbers that somebody may choose to learn something of the key (2, a power
of two, one beside a multiple of a prime) are signed in turns with random ones, and their times compared by Welch's t,
as dudect does: above 4.5 a difference is there, below it nothing is proven.
"""

# ruff: noqa: T201 - a script that prints its measurements
import secrets
import statistics
import time

from surveys.credit import blind

ROUNDS = 2_000


def main() -> None:
    key = blind.new_key()
    numbers = key.private_numbers()
    modulus = numbers.public_numbers.n
    chosen = {
        "two": 2,
        "2^2047": (1 << 2047) % modulus,
        "beside a prime": numbers.p + 1,
        "beside a multiple": numbers.p * (numbers.q // 2) + 1,
    }
    taken = {name: [] for name in ("random", *chosen)}
    for _ in range(ROUNDS):
        for name, times in taken.items():
            number = chosen.get(name) or 2 + secrets.randbelow(modulus - 4)
            blinded = number.to_bytes(256)
            begin = time.thread_time()
            blind.blind_sign(key, blinded)
            times.append(1000 * (time.thread_time() - begin))
    usual = taken.pop("random")
    print(f"a signature: {statistics.median(usual):.2f} ms of CPU, {1000 / statistics.fmean(usual):.0f} a second")
    for name, times in taken.items():
        print(f"{name}: t = {_welch(times, usual):+.1f}, {statistics.fmean(times) - statistics.fmean(usual):+.3f} ms")


def _welch(one: list[float], other: list[float]) -> float:
    """Return Welch's t without the slowest tenth of each, which are the machine's."""
    kept = [sorted(times)[: int(0.9 * len(times))] for times in (one, other)]
    spread = sum(statistics.variance(times) / len(times) for times in kept)
    return (statistics.fmean(kept[0]) - statistics.fmean(kept[1])) / spread**0.5


if __name__ == "__main__":
    main()
