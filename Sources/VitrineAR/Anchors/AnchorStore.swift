import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The anchors of a session in the order in which they were added, with the unreported changes.
struct AnchorStore {
    private(set) var anchors: [ARAnchor] = []
    private var indices: [UUID: Int] = [:]
    /// The state of changed anchors when changes were last confirmed.
    private var before: [UUID: ARAnchor] = [:]
    /// The anchors that may have changed since, in the order of their first change.
    private var touched: [UUID] = []
    private var touchedSet = Set<UUID>()

    /// Adds an anchor, or replaces the one with the same identifier.
    mutating func put(_ anchor: ARAnchor) {
        touch(anchor.identifier)
        if let index = indices[anchor.identifier] {
            anchors[index] = anchor
        } else {
            indices[anchor.identifier] = anchors.count
            anchors.append(anchor)
        }
    }

    mutating func remove(_ identifiers: Set<UUID>) {
        guard identifiers.contains(where: { indices[$0] != nil }) else { return }
        for anchor in anchors where identifiers.contains(anchor.identifier) { touch(anchor.identifier) }
        anchors.removeAll { identifiers.contains($0.identifier) }
        indices = [:]
        for (index, anchor) in anchors.enumerated() { indices[anchor.identifier] = index }
    }

    mutating func removeAll() { remove(Set(anchors.map(\.identifier))) }

    mutating func moveAll(by transform: Matrix4) {
        for anchor in anchors { put(anchor.with(transform: transform * anchor.transform)) }
    }

    subscript(identifier: UUID) -> ARAnchor? { indices[identifier].map { anchors[$0] } }

    private mutating func touch(_ identifier: UUID) {
        guard touchedSet.insert(identifier).inserted else { return }
        touched.append(identifier)
        before[identifier] = self[identifier]
    }

    /// The changes since the last `confirm()`. Omits anchors that were added and removed in between.
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

    /// Marks the changes as reported.
    mutating func confirm() { (touched, touchedSet, before) = ([], [], [:]) }
}
