"""A language model beside the theory: what its heads do, how their scores go together, what their planes are for."""
