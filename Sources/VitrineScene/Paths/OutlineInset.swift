import VitrineMath

/// An outline whose edges all move inwards at the same speed: the wavefront of a straight skeleton (Aichholzer et al. 1995).
///
/// When the length of an edge becomes 0, its two corners merge. Other self-intersections of the wavefront are not detected: the caller checks
/// whether the moved outlines are disjoint. Where the interior has a notch of less than 60°, the corner is cut off.
struct OutlineInset {
    /// A moving corner.
    private struct Node {
        /// The position at `birth`, and the velocity per distance.
        var position, velocity: SIMD2<Double>
        var birth: Double
        /// The inward normal of the following edge.
        var normal: SIMD2<Double>
        var next, previous: Int
        /// The node into which this one was merged; itself while it moves.
        var merged: Int

        func position(at distance: Double) -> SIMD2<Double> { position + velocity * (distance - birth) }
    }

    /// The outline, with additional corners that cut notches off: their edges have length 0.
    let outline: FilledRegion.Loop
    private var nodes: [Node] = []
    private var remaining: Int
    private var events = EventQueue()
    /// Whether the outline has vanished.
    private(set) var hasVanished = false

    init(_ loop: FilledRegion.Loop) {
        outline = OutlineInset.cuttingNotches(loop)
        remaining = outline.count
        let count = outline.count
        let normals = outline.indices.map { OutlineInset.normal(outline, $0) }
        for index in outline.indices {
            nodes.append(
                Node(
                    position: outline[index].point.vector,
                    velocity: OutlineInset.velocity(normals[(index + count - 1) % count], normals[index]),
                    birth: 0, normal: normals[index], next: (index + 1) % count, previous: (index + count - 1) % count, merged: index))
        }
        for index in nodes.indices { schedule(index, from: 0) }
    }

    // MARK: Corners

    private static func normal(_ loop: FilledRegion.Loop, _ index: Int) -> SIMD2<Double> {
        let (from, to) = (loop[index].point, loop[(index + 1) % loop.count].point)
        // An edge of length 0 that cuts a notch off has the direction of its tangent.
        let direction = from == to ? loop[index].startTangent : normalize(to.vector - from.vector)
        return SIMD2(-direction.y, direction.x)
    }

    /// Returns the velocity with which a corner stays on both edges.
    private static func velocity(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
        (a + b) / max(1 + dot(a, b), 1e-6)
    }

    /// Adds an edge of length 0 with half the angle at corners where the outline turns away from the interior by more than 120°.
    private static func cuttingNotches(_ loop: FilledRegion.Loop) -> FilledRegion.Loop {
        var result: FilledRegion.Loop = []
        for index in loop.indices {
            let before = loop[(index + loop.count - 1) % loop.count].point
            let (here, after) = (loop[index].point, loop[(index + 1) % loop.count].point)
            let (a, b) = (normalize(here.vector - before.vector), normalize(after.vector - here.vector))
            if GridPoint.turn(before, here, after) < 0, dot(a, b) < -0.5 {
                let middle = normalize(a + b)
                result.append(FilledRegion.Corner(point: here, startTangent: middle, endTangent: middle))
            }
            result.append(loop[index])
        }
        return result
    }

    // MARK: Moving

    /// Schedules the event at which the length of the edge after a node becomes 0.
    private mutating func schedule(_ node: Int, from distance: Double) {
        let (a, b) = (nodes[node], nodes[nodes[node].next])
        let direction = SIMD2(a.normal.y, -a.normal.x)
        let length = dot(b.position(at: distance) - a.position(at: distance), direction)
        let speed = dot(b.velocity - a.velocity, direction)
        guard speed < -1e-12 else { return }
        events.insert(EventQueue.Event(distance: distance + max(0, length / -speed), node: node, next: nodes[node].next))
    }

    /// Advances the wavefront to a distance in steps of the grid; the distance never decreases.
    mutating func advance(to distance: Double) {
        while !hasVanished, let event = events.first, event.distance <= distance {
            events.removeFirst()
            let isOld =
                nodes[event.node].merged != event.node || nodes[event.next].merged != event.next || nodes[event.node].next != event.next
            if !isOld { collapse(event) }
        }
    }

    private mutating func collapse(_ event: EventQueue.Event) {
        guard remaining > 3 else {
            hasVanished = true
            return
        }
        let (first, second) = (event.node, event.next)
        let position = (nodes[first].position(at: event.distance) + nodes[second].position(at: event.distance)) / 2
        let (before, after) = (nodes[first].previous, nodes[second].next)
        nodes[second].merged = first
        nodes[first].position = position
        nodes[first].birth = event.distance
        nodes[first].normal = nodes[second].normal
        nodes[first].velocity = OutlineInset.velocity(nodes[before].normal, nodes[second].normal)
        nodes[first].next = after
        nodes[after].previous = first
        remaining -= 1
        // The neighbours' edges now end in a corner with another velocity: their events are invalid.
        events.removeAll(of: before)
        schedule(before, from: event.distance)
        schedule(first, from: event.distance)
    }

    /// Returns the position of each corner of `outline` at a distance up to which the wavefront was advanced.
    func points(at distance: Double) -> [GridPoint] {
        var found: [Int] = Array(repeating: -1, count: nodes.count)
        return nodes.indices.map { index in
            var node = index
            while nodes[node].merged != node { node = found[node] >= 0 ? found[node] : nodes[node].merged }
            found[index] = node
            return PlanarGrid.rounded(nodes[node].position(at: distance))
        }
    }
}

/// The edges that will vanish, earliest first.
private struct EventQueue {
    struct Event {
        var distance: Double
        var node, next: Int
        var stamp = 0

        func isBefore(_ other: Event) -> Bool { distance != other.distance ? distance < other.distance : node < other.node }
    }

    private var heap: [Event] = []
    /// The number of the latest event of each node.
    private var stamps: [Int: Int] = [:]

    /// The earliest valid event.
    var first: Event? { heap.first }

    mutating func insert(_ event: Event) {
        var event = event
        event.stamp = (stamps[event.node] ?? 0) + 1
        stamps[event.node] = event.stamp
        heap.append(event)
        var index = heap.count - 1
        while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        dropVoid()
    }

    mutating func removeAll(of node: Int) {
        stamps[node] = (stamps[node] ?? 0) + 1
        dropVoid()
    }

    mutating func removeFirst() {
        removeRoot()
        dropVoid()
    }

    private mutating func dropVoid() {
        while let root = heap.first, stamps[root.node] != root.stamp { removeRoot() }
    }

    private mutating func removeRoot() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
            if least == index { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
