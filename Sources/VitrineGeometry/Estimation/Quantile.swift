/// The quantile of unsorted values: linear interpolation between the two nearest ranks; 0 without values.
/// - Parameter share: The share of the values below it, 0…1.
@inlinable package func quantile<Value: BinaryFloatingPoint>(_ values: [Value], _ share: Value) -> Value {
    quantile(sorted: values.sorted(), share)
}

/// The quantile of values in ascending order: linear interpolation between the two nearest ranks; 0 without values.
@inlinable package func quantile<Value: BinaryFloatingPoint>(sorted values: [Value], _ share: Value) -> Value {
    guard !values.isEmpty else { return 0 }
    let rank = share * Value(values.count - 1)
    let low = Int(rank)
    let high = min(low + 1, values.count - 1)
    return values[low] + (values[high] - values[low]) * (rank - Value(low))
}

/// The median; the mean of the middle two for an even number of values; 0 without values.
@inlinable package func median<Value: BinaryFloatingPoint>(_ values: [Value]) -> Value { quantile(values, 0.5) }

/// The upper median: the greater of the middle two for an even number of values, so that the result is one of the values; 0 without values.
@inlinable package func upperMedian<Value: BinaryFloatingPoint>(_ values: [Value]) -> Value {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
}
