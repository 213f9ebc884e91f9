"""Diagnosis: why an attempt failed, by what was observed of it, and what many failures say of a policy."""
