"""The measurements behind the figures in the docs. `world.measure_world` is `factory bench world`."""
