"""From text to what a memory is made of: vectors, perishability, times, digests."""
