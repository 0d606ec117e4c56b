"""Charts as SVG files, one module a kind; what they are drawn with is in canvas."""
