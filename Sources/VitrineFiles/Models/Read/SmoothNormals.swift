import VitrineMath

/// Normals of an OBJ's smoothing groups: at each position the sum of the normals of the group's faces there, by their area.
struct SmoothNormals {
    private struct Place: Hashable {
        let position, group: Int32
    }

    private var numbers: [Place: Int] = [:]
    private var sums: [Vector3] = []

    /// - Parameter normal: As long as the face is large.
    /// - Returns: The number of the normal in a corner: −2 and below.
    mutating func add(_ normal: Vector3, position: Int32, group: Int32) -> Int32 {
        let place = Place(position: position, group: group)
        let number = numbers[place] ?? sums.count
        if number == sums.count {
            numbers[place] = number
            sums.append(Vector3(repeating: 0))
        }
        sums[number] += normal
        return -2 - Int32(clamping: number)
    }

    /// Three floats for each number of a corner: from `normals` where it is 0 or more, else from here.
    func gathered(_ numbers: [Int32], _ normals: [Float]) -> [Float] {
        numbers.flatMap { number -> [Float] in
            guard number < 0 else { return Array(normals[Int(number) * 3..<Int(number) * 3 + 3]) }
            return sums[-2 - Int(number)].array
        }
    }
}
