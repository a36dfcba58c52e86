"""Transfer to tasks with little labelled text: does auto ever lose?"""
