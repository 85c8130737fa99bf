import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The anchors of a session in the order in which they were added, and what changed since it was last told.
struct AnchorStore {
    private(set) var anchors: [ARAnchor] = []
    private var places: [UUID: Int] = [:]
    /// As they were when changes were last confirmed.
    private var before: [UUID: ARAnchor] = [:]
    /// What may have changed since, in the order in which it first did.
    private var touched: [UUID] = []
    private var touchedSet = Set<UUID>()

    /// Adds an anchor, or puts it in the place of the one with the same identifier.
    mutating func put(_ anchor: ARAnchor) {
        touch(anchor.identifier)
        if let place = places[anchor.identifier] {
            anchors[place] = anchor
        } else {
            places[anchor.identifier] = anchors.count
            anchors.append(anchor)
        }
    }

    mutating func remove(_ identifiers: Set<UUID>) {
        guard identifiers.contains(where: { places[$0] != nil }) else { return }
        for anchor in anchors where identifiers.contains(anchor.identifier) { touch(anchor.identifier) }
        anchors.removeAll { identifiers.contains($0.identifier) }
        places = [:]
        for (place, anchor) in anchors.enumerated() { places[anchor.identifier] = place }
    }

    mutating func removeAll() { remove(Set(anchors.map(\.identifier))) }

    mutating func moveAll(by transform: Matrix4) {
        for anchor in anchors { put(anchor.with(transform: transform * anchor.transform)) }
    }

    subscript(identifier: UUID) -> ARAnchor? { places[identifier].map { anchors[$0] } }

    private mutating func touch(_ identifier: UUID) {
        guard touchedSet.insert(identifier).inserted else { return }
        touched.append(identifier)
        before[identifier] = self[identifier]
    }

    /// What changed since `confirm` was last called. What came and went in between isn't told.
    var changes: AnchorChanges {
        var changes = AnchorChanges()
        for identifier in touched {
            switch (before[identifier], self[identifier]) {
            case (nil, let now?): changes.added.append(now)
            case (let then?, let now?): if then != now { changes.updated.append(now) }
            case (let then?, nil): changes.removed.append(then)
            case (nil, nil): break
            }
        }
        return changes
    }

    /// The changes were told.
    mutating func confirm() { (touched, touchedSet, before) = ([], [], [:]) }
}
