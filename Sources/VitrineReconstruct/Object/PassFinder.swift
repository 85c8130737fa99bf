import VitrineMath
import VitrineVision

/// Finds the scan passes between which the object was moved or turned over on its support, from one map of all photos.
///
/// Such a map is correct for the table, which has most of the shared points, and contains the object several times, once for each pose. Photos from
/// similar directions then share points of the table, but none of the object. Photos of one pass are linked by points of the object; passes are
/// the groups of linked photos that contradict each other in that way.
struct PassFinder {
    /// The model of all photos in one frame.
    let model: SparseModel
    let object: ObjectPlacement
    /// The pass that the metadata of each photo name; nil for a photo without a name. Empty if no photo has a name.
    var names: [String?] = []

    /// Points with fewer observers are often pairs of unrelated features.
    private static let fewestObservers = 3
    /// Photos with fewer points of the object cannot be judged.
    private static let fewestPoints = 12
    /// The largest angle between the viewing directions of photos that should share points of the object, and the largest ratio of their distances.
    private static let similarAngle = 28.0 * .pi / 180, similarDistance = 1.6
    /// A group of fewer photos is not a pass.
    private static let fewestPhotos = 4

    /// The number of shared points of photos, by a kind of points.
    private struct Sharing {
        let count: Int
        /// The number of points of each photo.
        var points: [Int]
        /// The number of points that each pair of photos shares.
        var shared: [Int32]

        init(_ count: Int) {
            self.count = count
            points = Array(repeating: 0, count: count)
            shared = Array(repeating: 0, count: count * count)
        }

        mutating func add(_ observers: [Int]) {
            for a in observers {
                points[a] += 1
                for b in observers where b != a { shared[a * count + b] += 1 }
            }
        }

        /// The number of shared points, and the number that the photo with fewer points has.
        func of(_ a: Int, _ b: Int) -> (shared: Int, possible: Int) { (Int(shared[a * count + b]), min(points[a], points[b])) }
    }

    /// Returns the number of each photo's pass, 0, 1 …; −1 for photos that belong to none. Returns nil if one rigid scene explains the
    /// photos.
    func find() -> [Int]? {
        guard let plane = object.supportPlane, model.registered.count >= 2 * Self.fewestPhotos else { return nil }
        let (objectSharing, tableSharing) = sharing(plane)
        let groups = groups(objectSharing)
        guard (groups.max() ?? 0) > 0 else { return nil }
        return contradicting(groups, objectSharing, tableSharing)
    }

    private func sharing(_ plane: Plane3<Double>) -> (object: Sharing, table: Sharing) {
        let count = model.cameras.count
        var (objects, tables) = (Sharing(count), Sharing(count))
        let box = object.box.scaled(by: 1.1)
        // The noise of the table, relative to the object.
        let foot = 0.03 * object.box.longestSide
        for point in model.points where point.observations.count >= Self.fewestObservers && point.position.isFinite {
            let height = plane.signedDistance(to: point.position)
            let observers = point.observations.map { Int($0.x) }
            if height > foot, box.contains(point.position) {
                objects.add(observers)
            } else if abs(height) < foot {
                tables.add(observers)
            }
        }
        return (objects, tables)
    }

    /// Returns the number of each photo's group, the largest first; −1 for unregistered photos, and those that show too little of the
    /// object.
    private func groups(_ sharing: Sharing) -> [Int] {
        let photos = model.registered.filter { sharing.points[$0] >= Self.fewestPoints }
        var parents = Array(model.cameras.indices)
        func root(_ photo: Int) -> Int {
            var photo = photo
            while parents[photo] != photo { photo = parents[photo] }
            return photo
        }
        func unite(_ a: Int, _ b: Int) { parents[max(root(a), root(b))] = min(root(a), root(b)) }
        var first: [String: Int] = [:]
        for photo in photos {
            guard let name = names[safe: photo] ?? nil else { continue }
            if let other = first[name] { unite(other, photo) } else { first[name] = photo }
        }
        for a in photos {
            for b in photos where b > a {
                let (shared, possible) = sharing.of(a, b)
                if shared >= 6, 12 * shared >= possible { unite(a, b) }
            }
        }
        var members: [Int: [Int]] = [:]
        for photo in photos { members[root(photo), default: []].append(photo) }
        let sorted = members.values.sorted { ($0.count, -$0[0]) > ($1.count, -$1[0]) }
        var result = [Int](repeating: -1, count: model.cameras.count)
        for (index, group) in sorted.enumerated() where index == 0 || group.count >= Self.fewestPhotos {
            for photo in group { result[photo] = index }
        }
        return result
    }

    /// Unites groups that do not contradict each other. nil if one is left.
    private func contradicting(_ groups: [Int], _ objects: Sharing, _ tables: Sharing) -> [Int]? {
        let count = (groups.max() ?? -1) + 1
        struct Sum {
            var (objectShared, objectPossible, tableShared, tablePossible) = (0, 0, 0, 0)
            var objectShare: Double { Double(objectShared) / Double(max(1, objectPossible)) }
            var tableShare: Double { Double(tableShared) / Double(max(1, tablePossible)) }
        }
        var sums = [Sum](repeating: Sum(), count: count * count)
        var inside = Sum()
        func add(_ a: Int, _ b: Int, _ sum: inout Sum) {
            let (object, table) = (objects.of(a, b), tables.of(a, b))
            sum.objectShared += object.shared
            sum.objectPossible += object.possible
            sum.tableShared += table.shared
            sum.tablePossible += table.possible
        }
        for (a, b) in nearestPairs(groups) { add(a, b, &inside) }
        for (a, b) in similarPairs(groups) { add(a, b, &sums[min(groups[a], groups[b]) * count + max(groups[a], groups[b])]) }
        // Without texture on the object no photos contradict each other.
        guard inside.objectPossible >= 100, inside.objectShare > 0.08 else { return nil }
        var isApart = [Bool](repeating: false, count: count * count)
        for low in 0..<count {
            for high in low + 1..<max(low + 1, count) {
                let sum = sums[low * count + high]
                isApart[low * count + high] =
                    sum.objectPossible >= 100 && sum.tableShared >= 30 && sum.objectShare < 0.15 * inside.objectShare
                    && sum.tableShare > 0.25 * inside.tableShare
            }
        }
        // A group without a contradiction belongs to the first group.
        var passes = Array(repeating: 0, count: count)
        var used = 1
        for group in 1..<max(1, count) {
            let same = (0..<group).first { other in !(0..<group).contains { passes[$0] == passes[other] && isApart[$0 * count + group] } }
            passes[group] = same.map { passes[$0] } ?? used
            if same == nil { used += 1 }
        }
        guard used > 1 else { return nil }
        return assigned(groups.map { $0 < 0 ? -1 : passes[$0] }, objects)
    }

    /// The directions of the photos from the object, with their numbers.
    private func rays(_ groups: [Int]) -> [(photo: Int, ray: Vector3d)] {
        let center = object.box.center
        return model.registered.filter { groups[$0] >= 0 }.compactMap { photo in
            model.cameras[photo].map { (photo, $0.centerInWorld - center) }
        }
    }

    /// Returns, for each photo, the photo of its group with the most similar direction.
    private func nearestPairs(_ groups: [Int]) -> [(Int, Int)] {
        let rays = rays(groups)
        return rays.compactMap { own in
            func cosine(_ ray: Vector3d) -> Double { dot(normalize(own.ray), normalize(ray)) }
            let others = rays.filter { $0.photo != own.photo && groups[$0.photo] == groups[own.photo] }
            let nearest = others.max { (cosine($0.ray), -$0.photo) < (cosine($1.ray), -$1.photo) }
            return nearest.map { (own.photo, $0.photo) }
        }
    }

    /// Photos of different groups with similar directions and distances.
    private func similarPairs(_ groups: [Int]) -> [(Int, Int)] {
        let rays = rays(groups)
        var pairs: [(Int, Int)] = []
        for (index, first) in rays.enumerated() {
            for second in rays.dropFirst(index + 1) where groups[first.photo] != groups[second.photo] {
                let (p, q) = (length(first.ray), length(second.ray))
                guard p > 0, q > 0, dot(first.ray, second.ray) > cos(Self.similarAngle) * p * q,
                    max(p, q) < Self.similarDistance * min(p, q)
                else { continue }
                pairs.append((first.photo, second.photo))
            }
        }
        return pairs
    }

    /// Photos that could not be judged join the pass that they share most points of the object with, otherwise that of the photo before in
    /// the list.
    private func assigned(_ passes: [Int], _ objects: Sharing) -> [Int] {
        var result = passes
        for photo in model.registered where passes[photo] < 0 {
            var shared: [Int: Int] = [:]
            for other in passes.indices where passes[other] >= 0 { shared[passes[other], default: 0] += objects.of(photo, other).shared }
            if let best = shared.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) }), best.value >= 3 { result[photo] = best.key }
        }
        for photo in passes.indices where result[photo] < 0 {
            let before = stride(from: photo - 1, through: 0, by: -1).first { result[$0] >= 0 }
            let after = passes.indices.dropFirst(photo + 1).first { result[$0] >= 0 }
            if let near = before ?? after { result[photo] = result[near] }
        }
        return result
    }
}
