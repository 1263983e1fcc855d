"""What a compiled program needs, by what its compiler says of it."""


def peak_bytes(stats):
    """The bytes that are there at once: arguments, results in memory of their own, temporaries."""
    results = stats.output_size_in_bytes - stats.alias_size_in_bytes
    return stats.temp_size_in_bytes + stats.argument_size_in_bytes + results
