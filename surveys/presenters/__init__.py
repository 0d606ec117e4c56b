"""What pages of views and of the admin both show: charts and tables, made from findings and put into words."""
