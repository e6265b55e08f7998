//! A simulated service-provider network whose state is computed, its faults and its gNMI targets.
