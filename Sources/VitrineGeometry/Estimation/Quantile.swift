/// Returns the quantile of unsorted values: linear interpolation between the two nearest ranks; 0 without values.
/// - Parameter share: The fraction of the values below the result, 0…1.
@inlinable package func quantile<Value: BinaryFloatingPoint>(_ values: [Value], _ share: Value) -> Value {
    quantile(sorted: values.sorted(), share)
}

/// Returns the quantile of values in ascending order: linear interpolation between the two nearest ranks; 0 without values.
@inlinable package func quantile<Value: BinaryFloatingPoint>(sorted values: [Value], _ share: Value) -> Value {
    guard !values.isEmpty else { return 0 }
    let rank = share * Value(values.count - 1)
    let low = Int(rank)
    let high = min(low + 1, values.count - 1)
    return values[low] + (values[high] - values[low]) * (rank - Value(low))
}

/// Returns the median; the mean of the middle two for an even number of values; 0 without values.
@inlinable package func median<Value: BinaryFloatingPoint>(_ values: [Value]) -> Value { quantile(values, 0.5) }

/// Returns the upper median: the greater of the middle two for an even number of values, so that the result is one of the values; 0 without values.
///
/// Linear time on average (quickselect, Hoare 1961).
@inlinable package func upperMedian<Value: BinaryFloatingPoint>(_ values: [Value]) -> Value {
    guard !values.isEmpty else { return 0 }
    var rest = values
    let target = rest.count / 2
    var (low, high) = (0, rest.count - 1)
    while low < high {
        let pivot = rest[(low + high) / 2]
        var (i, j) = (low, high)
        while i <= j {
            while rest[i] < pivot { i += 1 }
            while rest[j] > pivot { j -= 1 }
            if i <= j {
                rest.swapAt(i, j)
                (i, j) = (i + 1, j - 1)
            }
        }
        if target <= j { high = j } else if target >= i { low = i } else { break }
    }
    return rest[target]
}
