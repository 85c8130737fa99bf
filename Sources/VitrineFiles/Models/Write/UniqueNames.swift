/// Generates unique names: `name`, `name_1`, `name_2` … Finding the next unused name takes constant time on average.
struct UniqueNames {
    private var taken: Set<String> = []
    /// The next number to try for each name.
    private var numbers: [String: Int] = [:]

    /// Returns `name`, or `name` with the lowest number that makes it unique.
    mutating func unique(_ name: String) -> String {
        guard !taken.insert(name).inserted else { return name }
        var number = numbers[name] ?? 1
        while !taken.insert("\(name)_\(number)").inserted { number += 1 }
        numbers[name] = number + 1
        return "\(name)_\(number)"
    }
}
