"""An adversary for every claim that is a bound: it climbs over the free parameters and must not get above it."""
