"""Reading XLSForm workbooks."""
