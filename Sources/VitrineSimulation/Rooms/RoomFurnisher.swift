import Vitrine

/// Furnishes a simulated room with floor, walls, furniture and lights.
struct RoomFurnisher {
    let style: SimulatedRoom.Style
    let bounds: BoundingBox
    /// Camera positions to keep free.
    let path: [Vector3]
    /// The width of the black square of the marker on the floor in metres; nil without marker.
    let markerEdge: Float?
    var builder: RoomBuilder

    init(style: SimulatedRoom.Style, bounds: BoundingBox, path: [Vector3], markerEdge: Float? = nil, seed: UInt64) {
        (self.style, self.bounds, self.path, self.markerEdge) = (style, bounds, path, markerEdge)
        builder = RoomBuilder(seed: seed)
    }

    private var floor: RoomSurface { style == .study ? .planks : style == .hall ? .concrete : .bareFloor }
    var height: Float { bounds.size.y }

    mutating func furnish() {
        let (low, high) = (bounds.minimum, bounds.maximum)
        builder.panel(low, across: Vector3(high.x - low.x, 0, 0), down: Vector3(0, 0, high.z - low.z), floor)
        builder.panel(
            Vector3(low.x, high.y, high.z), across: Vector3(high.x - low.x, 0, 0), down: Vector3(0, 0, low.z - high.z),
            style == .hall ? .metal : style == .study ? .ceiling : .barePlaster)
        addCeilingLights()
        let middle = (low + high) / 2
        let walls: [(center: Vector3, turn: Float, length: Float, surface: RoomSurface)] = [
            (Vector3(middle.x, low.y, low.z), 0, high.x - low.x, .bricks),
            (Vector3(low.x, low.y, middle.z), .pi / 2, high.z - low.z, .plaster),
            (Vector3(middle.x, low.y, high.z), .pi, high.x - low.x, .wallpaper),
            (Vector3(high.x, low.y, middle.z), -.pi / 2, high.z - low.z, .plaster),
        ]
        for (index, wall) in walls.enumerated() {
            builder.frame = RoomBuilder.ObjectFrame(at: wall.center, rotatedBy: wall.turn)
            addWall(index, length: wall.length, surface: surface(of: wall.surface))
        }
        builder.frame = RoomBuilder.ObjectFrame()
        addMarker()
        addMiddle()
    }

    /// The bounds of the marker in front of the central furniture.
    var markerBounds: BoundingBox? {
        guard let markerEdge else { return nil }
        let half = markerEdge * RoomSurface.markerCells / 16
        let middle = (bounds.minimum + bounds.maximum) / 2
        let center = Vector3(middle.x, bounds.minimum.y, middle.z + 0.5 + half)
        return BoundingBox(minimum: center - Vector3(half, 0, half), maximum: center + Vector3(half, 0.01, half))
    }

    private mutating func addMarker() {
        guard let box = markerBounds else { return }
        let size = box.size
        builder.panel(
            Vector3(box.minimum.x, box.maximum.y, box.minimum.z), across: Vector3(size.x, 0, 0), down: Vector3(0, 0, size.z), .marker)
    }

    private func surface(of wall: RoomSurface) -> RoomSurface {
        switch style {
        case .study: wall
        case .hall: wall == .wallpaper ? .bricks : wall == .bricks ? .metal : .concrete
        case .bare: .barePlaster
        }
    }

    /// Adds emissive panels under the ceiling, one for about nine square metres.
    private mutating func addCeilingLights() {
        let size = bounds.size
        let (columns, rows) = (max(1, Int(size.x / 3.2)), max(1, Int(size.z / 3.2)))
        let y = bounds.maximum.y - 0.02
        for index in 0..<columns * rows {
            let x = bounds.minimum.x + size.x * (Float(index % columns) + 0.5) / Float(columns)
            let z = bounds.minimum.z + size.z * (Float(index / columns) + 0.5) / Float(rows)
            builder.panel(Vector3(x - 0.3, y, z + 0.3), across: Vector3(0.6, 0, 0), down: Vector3(0, 0, -0.6), .ceilingLight)
        }
    }

    /// Whether a box in the current frame keeps the path free.
    func isFree(_ low: Vector3, _ high: Vector3, clearance: Float = 0.4) -> Bool {
        let box = builder.bounds(low, high)
        return !path.contains { point in
            let off = max(0, max((box.minimum - point).max(), (point - box.maximum).max()))
            return off < clearance
        }
    }

    // MARK: Along a wall: x to the right of its centre, z into the room

    private mutating func addWall(_ index: Int, length: Float, surface: RoomSurface) {
        builder.panel(Vector3(-length / 2, height, 0), across: Vector3(length, 0, 0), down: Vector3(0, -height, 0), surface)
        if style != .bare { builder.box(Vector3(-length / 2, 0, 0), Vector3(length / 2, 0.09, 0.015), .darkWood) }
        var x = -length / 2 + 0.25
        var number = index * 2
        while x < length / 2 - 0.7 {
            let width = addPiece(number, from: x, room: length / 2 - 0.2 - x)
            x += width + builder.between(0.1, 0.35)
            number += 1
        }
    }

    /// Adds the next piece of furniture, or a poster if it does not fit or blocks the path.
    ///
    /// - Returns: Its width.
    private mutating func addPiece(_ number: Int, from x: Float, room: Float) -> Float {
        switch style {
        case .study:
            switch number % 7 {
            case 0: return add(1.3, x, room, Vector3(0, 2, 0.32)) { $0.addShelf(at: $1) }
            case 1: return add(1.5, x, room, Vector3(0, 1.3, 0.75)) { $0.addDesk(at: $1) }
            case 2: return addWindow(from: x, room: room)
            case 3: return add(1.1, x, room, Vector3(0, 1.2, 0.45)) { $0.addCabinet(at: $1) }
            case 4: return add(0.95, x, room, Vector3(0, 1.2, 0.6)) { $0.addBoxes(at: $1) }
            case 5: return add(1.9, x, room, Vector3(0, 0.85, 0.85)) { $0.addSofa(at: $1) }
            default: return addPoster(from: x, room: room, lowest: 0.9)
            }
        case .hall:
            switch number % 6 {
            case 0: return add(2.1, x, room, Vector3(0, 2.2, 1.1)) { $0.addMachine(at: $1) }
            case 1: return add(1.9, x, room, Vector3(0, 2.4, 1)) { $0.addCrates(at: $1) }
            case 2: return addWindow(from: x, room: room)
            case 3: return addPipes(from: x, room: room)
            case 4: return add(1.3, x, room, Vector3(0, 2, 0.5)) { $0.addShelf(at: $1) }
            default: return addPoster(from: x, room: room, lowest: 1.2)
            }
        case .bare:
            switch number % 5 {
            case 1: return addWindow(from: x, room: room)
            case 3: return add(1.1, x, room, Vector3(0, 1, 0.45)) { $0.addCabinet(at: $1) }
            default: return builder.between(0.9, 1.6)
            }
        }
    }

    private mutating func add(
        _ width: Float, _ x: Float, _ room: Float, _ size: Vector3, _ build: (inout RoomFurnisher, Float) -> Void
    ) -> Float {
        guard width <= room, isFree(Vector3(x, 0, 0), Vector3(x + width, size.y, size.z)) else {
            return style == .bare ? 1 : addPoster(from: x, room: room, lowest: 0.8)
        }
        build(&self, x)
        // A poster fits above low furniture.
        if style != .bare, size.y < 1.35 {
            _ = addPoster(from: x + 0.1, room: width - 0.1, lowest: max(size.y + 0.1, 1.2))
        }
        return width
    }
}
