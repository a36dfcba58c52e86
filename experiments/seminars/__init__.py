"""Fields of seminar announcements, from entities in news (Sutton and McCallum 2005)."""
