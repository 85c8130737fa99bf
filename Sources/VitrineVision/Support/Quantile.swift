/// The value with a share 0…1 of the others below it, between two neighbours in proportion; 0 for none.
@inlinable public func quantile<Value: BinaryFloatingPoint>(_ values: [Value], _ share: Value) -> Value {
    quantile(sorted: values.sorted(), share)
}

/// As `quantile(_:_:)`, of values that rise already.
@inlinable public func quantile<Value: BinaryFloatingPoint>(sorted values: [Value], _ share: Value) -> Value {
    guard !values.isEmpty else { return 0 }
    let place = share * Value(values.count - 1)
    let low = Int(place)
    let high = min(low + 1, values.count - 1)
    return values[low] + (values[high] - values[low]) * (place - Value(low))
}

/// The middle value; of an even number the mean of the middle two; 0 for none.
@inlinable public func median<Value: BinaryFloatingPoint>(_ values: [Value]) -> Value { quantile(values, 0.5) }
