import VitrineMath

/// Normalizes directions, as file formats require.
enum UnitVectors {
    /// The tolerance within which vectors are kept unchanged.
    private static let tolerance: Float = 1e-4

    /// Normalizes three floats each; a vector without direction becomes +Y.
    static func normals(_ values: [Float]) -> [Float] {
        var result = values
        for index in stride(from: 0, to: values.count - 2, by: 3) {
            let vector = Vector3(values[index], values[index + 1], values[index + 2])
            let squared = dot(vector, vector)
            if abs(squared - 1) <= tolerance { continue }
            let unit = squared > 0 && squared.isFinite ? vector / squared.squareRoot() : .up
            for axis in 0..<3 { result[index + axis] = unit[axis] }
        }
        return result
    }

    /// Normalizes four floats each; the last becomes −1 or 1.
    static func tangents(_ values: [Float]) -> [Float] {
        var result = values
        for index in stride(from: 0, to: values.count - 3, by: 4) {
            let vector = Vector3(values[index], values[index + 1], values[index + 2])
            let squared = dot(vector, vector)
            result[index + 3] = values[index + 3] < 0 ? -1 : 1
            if abs(squared - 1) <= tolerance { continue }
            let unit = squared > 0 && squared.isFinite ? vector / squared.squareRoot() : Vector3(1, 0, 0)
            for axis in 0..<3 { result[index + axis] = unit[axis] }
        }
        return result
    }
}
