import VitrineMath

/// The normals of an OBJ's smoothing groups: at each position, the area-weighted sum of the normals of the group's faces.
struct SmoothNormals {
    private struct Key: Hashable {
        let position, group: Int32
    }

    private var numbers: [Key: Int] = [:]
    private var sums: [Vector3] = []

    /// - Parameter normal: A normal whose length is the area of the face.
    /// - Returns: The normal's number for a corner: −2 and below.
    mutating func add(_ normal: Vector3, position: Int32, group: Int32) -> Int32 {
        let key = Key(position: position, group: group)
        let number = numbers[key] ?? sums.count
        if number == sums.count {
            numbers[key] = number
            sums.append(Vector3(repeating: 0))
        }
        sums[number] += normal
        return -2 - Int32(clamping: number)
    }

    /// Returns three floats for each number of a corner: from `normals` if it is 0 or more, otherwise the smooth normal.
    func gathered(_ numbers: [Int32], _ normals: [Float]) -> [Float] {
        numbers.flatMap { number -> [Float] in
            guard number < 0 else { return Array(normals[Int(number) * 3..<Int(number) * 3 + 3]) }
            return sums[-2 - Int(number)].array
        }
    }
}
