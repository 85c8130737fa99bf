/// Names that are given once each: `name`, `name_1`, `name_2` … Finding the next free one takes constant time on average.
struct UniqueNames {
    private var taken: Set<String> = []
    /// By name: the number to try next.
    private var numbers: [String: Int] = [:]

    /// `name`, or with the lowest number that makes it new.
    mutating func unique(_ name: String) -> String {
        guard !taken.insert(name).inserted else { return name }
        var number = numbers[name] ?? 1
        while !taken.insert("\(name)_\(number)").inserted { number += 1 }
        numbers[name] = number + 1
        return "\(name)_\(number)"
    }
}
