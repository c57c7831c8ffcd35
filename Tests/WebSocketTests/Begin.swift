// Grows here.
