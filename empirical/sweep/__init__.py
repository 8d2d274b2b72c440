"""Many trainings or scorings from one file: in processes of this machine, or on a Dask cluster."""
