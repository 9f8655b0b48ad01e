"""Everything around the tables: keys, chips, queues, seasons, tournaments."""
