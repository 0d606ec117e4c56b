"""Reading and writing XLSForm workbooks."""
