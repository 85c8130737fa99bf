import Vitrine

/// Furnishes a simulated room with floor, walls, furniture and lights.
struct RoomFurnisher {
    private let style: SimulatedRoom.Style
    private let bounds: BoundingBox
    /// Camera positions to keep free.
    private let path: [Vector3]
    /// The width of the black square of the marker on the floor in metres; nil without marker.
    private let markerEdge: Float?
    /// nil without a table to capture objects on.
    private let table: SimulatedTable?
    var builder: RoomBuilder

    init(
        style: SimulatedRoom.Style, bounds: BoundingBox, path: [Vector3], markerEdge: Float? = nil, table: SimulatedTable? = nil,
        seed: UInt64
    ) {
        (self.style, self.bounds, self.markerEdge, self.table) = (style, bounds, markerEdge, table)
        // Other furniture stays away from the table as from the path.
        self.path = path + (table.map { [$0.center] } ?? [])
        builder = RoomBuilder(seed: seed)
    }

    private var floor: RoomSurface { style == .study ? .planks : style == .hall ? .concrete : .bareFloor }
    private var height: Float { bounds.size.y }

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
        if let table { add(table) }
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
    private func isFree(_ low: Vector3, _ high: Vector3, clearance: Float = 0.4) -> Bool {
        let box = builder.bounds(low, high)
        return !path.contains { point in
            let off = max(0, max((box.minimum - point).max(), (point - box.maximum).max()))
            return off < clearance
        }
    }

    private mutating func add(_ table: SimulatedTable) {
        let (half, thickness): (Vector3, Float) = (Vector3(table.size.x / 2, 0, table.size.y / 2), 0.03)
        let foot = Vector3(table.center.x, bounds.minimum.y, table.center.z)
        let top = table.center.y - bounds.minimum.y
        builder.frame = RoomBuilder.ObjectFrame(at: foot, rotatedBy: 0)
        builder.box(
            Vector3(-half.x, top - thickness, -half.z), Vector3(half.x, top, half.z), .darkWood, top: table.isPlain ? .white : .wood)
        for (x, z) in [(-1, -1), (1, -1), (-1, 1), (1, 1)] as [(Float, Float)] {
            let leg = Vector3(x * (half.x - 0.05), 0, z * (half.z - 0.05))
            builder.box(leg - Vector3(0.025, 0, 0.025), leg + Vector3(0.025, top - thickness, 0.025), .darkWood)
        }
        builder.frame = RoomBuilder.ObjectFrame()
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

extension RoomFurnisher {
    private mutating func addWindow(from x: Float, room: Float) -> Float {
        let width = min(style == .hall ? 2.4 : 1.5, room)
        guard width > 0.8 else { return max(room, 0.3) }
        let (low, high): (Float, Float) = style == .hall ? (2.2, min(4.4, height - 0.4)) : (0.95, min(2.25, height - 0.3))
        builder.panel(Vector3(x, high, 0.012), across: Vector3(width, 0, 0), down: Vector3(0, low - high, 0), .window)
        builder.box(Vector3(x - 0.06, low - 0.05, 0), Vector3(x + width + 0.06, low - 0.01, 0.16), .white)
        for side in [x - 0.06, x + width] {
            builder.box(Vector3(side, low, 0), Vector3(side + 0.06, high + 0.06, 0.05), .white)
        }
        builder.box(Vector3(x, high, 0), Vector3(x + width, high + 0.06, 0.05), .white)
        return width
    }

    /// Adds a poster to a wall.
    ///
    /// - Parameter lowest: The lowest height of its lower edge above the floor in metres.
    private mutating func addPoster(from x: Float, room: Float, lowest: Float) -> Float {
        let width = min(builder.between(0.5, 0.95), room - 0.05)
        guard width > 0.3 else { return max(room, 0.3) }
        let tall = min(width * builder.between(1.2, 1.45), height - lowest - 0.25)
        guard tall > 0.3 else { return width }
        let foot = lowest + builder.between(0, max(0, min(0.5, height - lowest - tall - 0.2)))
        builder.box(Vector3(x, foot, 0), Vector3(x + width, foot + tall, 0.025), .dark, front: builder.pick(RoomSurface.posters))
        if height > 4, builder.between(0, 1) < 0.8 {
            // Upper part of a hall's walls.
            let side = builder.between(0.9, 1.6)
            let high = min(3.1, height - side - 0.3)
            builder.box(Vector3(x, high, 0), Vector3(x + side, high + side, 0.04), .dark, front: builder.pick(RoomSurface.posters))
        }
        return width
    }

    private mutating func addPipes(from x: Float, room: Float) -> Float {
        let width = min(1.2, room)
        for index in 0..<3 {
            let radius = builder.between(0.05, 0.11)
            builder.drum(
                Vector3(x + 0.2 + 0.35 * Float(index), 0, 0.16), radius: radius, height: height, builder.pick([.metal, .redFabric]))
        }
        builder.box(Vector3(x, 1.2, 0), Vector3(x + width, 1.28, 0.3), .hazard)
        return width
    }

    private mutating func addShelf(at x: Float) {
        let (width, tall, deep): (Float, Float, Float) = (1.3, 1.98, 0.3)
        let wood = builder.pick([RoomSurface.wood, .darkWood])
        builder.panel(Vector3(x, tall, 0.012), across: Vector3(width, 0, 0), down: Vector3(0, -tall, 0), .darkWood)
        for side in [x, x + width - 0.025] { builder.box(Vector3(side, 0, 0), Vector3(side + 0.025, tall, deep), wood) }
        for level in 0...5 {
            let y = 0.05 + 0.38 * Float(level)
            builder.box(Vector3(x + 0.025, y, 0), Vector3(x + width - 0.025, y + 0.022, deep), wood)
            guard level < 5 else { break }
            if style == .hall { addBins(x + 0.05, y + 0.022, width - 0.1, deep) } else { addBooks(x + 0.04, y + 0.022, width - 0.08, deep) }
        }
    }

    private mutating func addBooks(_ left: Float, _ y: Float, _ width: Float, _ deep: Float) {
        var x = left
        let end = left + width - builder.between(0, 0.35)
        while x < end - 0.06 {
            let thick = builder.between(0.022, 0.06)
            let (tall, back) = (builder.between(0.2, 0.31), builder.between(0.16, 0.26))
            if builder.between(0, 1) < 0.93 {
                builder.box(
                    Vector3(x, y, 0.02), Vector3(x + thick, y + tall, min(back, deep)), .white, front: builder.pick(RoomSurface.books))
            }
            x += thick + 0.002
        }
    }

    private mutating func addBins(_ left: Float, _ y: Float, _ width: Float, _ deep: Float) {
        var x = left
        while x < left + width - 0.2 {
            let wide = builder.between(0.18, 0.34)
            guard x + wide < left + width else { break }
            let surface = builder.pick([RoomSurface.cardboard, .crate, .redFabric, .control])
            builder.box(Vector3(x, y, 0.03), Vector3(x + wide, y + builder.between(0.16, 0.3), deep - 0.02), surface)
            x += wide + builder.between(0.01, 0.12)
        }
    }

    private mutating func addCabinet(at x: Float) {
        let surface: RoomSurface = style == .bare ? .white : .wood
        builder.box(Vector3(x, 0.08, 0.01), Vector3(x + 1.1, 0.85, 0.45), surface)
        for row in 0..<3 {
            for column in 0..<2 {
                let (left, low) = (x + 0.03 + 0.53 * Float(column), 0.11 + 0.245 * Float(row))
                builder.box(Vector3(left, low, 0.45), Vector3(left + 0.51, low + 0.225, 0.465), style == .bare ? .white : .darkWood)
                builder.box(Vector3(left + 0.2, low + 0.1, 0.465), Vector3(left + 0.31, low + 0.12, 0.49), .metal)
            }
        }
        guard style != .bare else { return }
        builder.drum(Vector3(x + 0.25, 0.85, 0.22), radius: 0.08, height: 0.26, .redFabric)
        builder.object(at: Vector3(x + 0.7, 0.85, 0.2), rotatedBy: 0.2) {
            $0.box(Vector3(-0.15, 0, 0), Vector3(0.15, 0.22, 0.03), .dark, front: .posterMountains)
        }
    }

    private mutating func addBoxes(at x: Float) {
        for (index, offset) in [Vector3(0.28, 0, 0.3), Vector3(0.72, 0, 0.32), Vector3(0.42, 0.42, 0.28)].enumerated() {
            let (wide, tall) = (builder.between(0.17, 0.21), builder.between(0.3, 0.41))
            builder.object(at: Vector3(x, 0, 0) + offset, rotatedBy: builder.between(-0.25, 0.25)) {
                $0.box(Vector3(-wide, 0, -wide), Vector3(wide, index < 2 ? 0.42 : tall, wide), .cardboard)
            }
        }
    }

    private mutating func addDesk(at x: Float) {
        builder.box(Vector3(x, 0.71, 0.02), Vector3(x + 1.5, 0.745, 0.72), .wood)
        for leg in [Vector2(0.03, 0.05), Vector2(1.42, 0.05), Vector2(0.03, 0.64), Vector2(1.42, 0.64)] {
            builder.box(Vector3(x + leg.x, 0, leg.y), Vector3(x + leg.x + 0.05, 0.71, leg.y + 0.05), .darkWood)
        }
        builder.box(Vector3(x + 0.95, 0.1, 0.08), Vector3(x + 1.38, 0.7, 0.62), .darkWood)
        builder.box(Vector3(x + 0.38, 0.86, 0.17), Vector3(x + 0.98, 1.22, 0.2), .dark, front: .screen)
        builder.box(Vector3(x + 0.63, 0.745, 0.15), Vector3(x + 0.73, 0.9, 0.19), .dark)
        builder.box(Vector3(x + 0.42, 0.745, 0.42), Vector3(x + 0.86, 0.765, 0.57), .dark, top: .keyboard)
        builder.drum(Vector3(x + 1.12, 0.745, 0.45), radius: 0.042, height: 0.1, .redFabric)
        for index in 0..<4 {
            let y = 0.745 + 0.035 * Float(index)
            builder.object(at: Vector3(x + 0.2, y, 0.32), rotatedBy: builder.between(-0.3, 0.3)) {
                $0.box(
                    Vector3(-0.11, 0, -0.15), Vector3(0.11, 0.034, 0.15), .white, front: $0.pick(RoomSurface.books),
                    top: $0.pick(RoomSurface.posters))
            }
        }
    }

    private mutating func addSofa(at x: Float) {
        builder.box(Vector3(x + 0.15, 0.1, 0.15), Vector3(x + 1.75, 0.4, 0.85), .fabric)
        builder.box(Vector3(x + 0.15, 0.1, 0.02), Vector3(x + 1.75, 0.82, 0.2), .fabric)
        for side in [x, x + 1.73] { builder.box(Vector3(side, 0, 0.02), Vector3(side + 0.17, 0.6, 0.85), .fabric) }
        for (index, left) in [x + 0.3, x + 1.2].enumerated() {
            builder.box(Vector3(left, 0.4, 0.2), Vector3(left + 0.38, 0.74, 0.32), .redFabric, front: index == 0 ? .posterTiles : .rug)
        }
    }

    private mutating func addMachine(at x: Float) {
        builder.box(Vector3(x, 0, 0.05), Vector3(x + 2, 0.25, 1.1), .concrete, front: .hazard)
        builder.box(Vector3(x + 0.1, 0.25, 0.1), Vector3(x + 1.2, 1.5, 0.95), .metal, front: .control)
        builder.box(Vector3(x + 1.2, 0.25, 0.15), Vector3(x + 1.9, 2.1, 0.85), .metal, front: .crate)
        builder.drum(Vector3(x + 0.5, 1.5, 0.5), radius: 0.22, height: 0.55, .metal)
        builder.drum(Vector3(x + 0.95, 1.5, 0.4), radius: 0.09, height: 0.7, .redFabric)
        builder.box(Vector3(x + 1.3, 1.3, 0.85), Vector3(x + 1.8, 1.8, 0.9), .dark, front: .screen)
    }

    private mutating func addCrates(at x: Float) {
        for offset in [Vector3(0.45, 0, 0.5), Vector3(1.35, 0, 0.5), Vector3(0.8, 0.8, 0.45), Vector3(0.85, 1.6, 0.45)] {
            let half = offset.y > 1 ? builder.between(0.2, 0.32) : 0.4
            builder.object(at: Vector3(x, 0, 0) + offset, rotatedBy: builder.between(-0.15, 0.15)) {
                $0.box(Vector3(-half, 0, -half), Vector3(half, 2 * half, half), .crate)
            }
        }
    }

    /// Furniture in the centre of the floor, off the path.
    private mutating func addMiddle() {
        let center = (bounds.minimum + bounds.maximum) / 2
        let floor = bounds.minimum.y
        guard style != .bare else { return }
        let count = style == .hall ? 14 : 6
        if style == .study {
            let wide = min(3.2, bounds.size.x - 2)
            let deep = min(2.2, bounds.size.z - 2)
            builder.panel(
                Vector3(center.x - wide / 2, floor + 0.006, center.z - deep / 2), across: Vector3(wide, 0, 0), down: Vector3(0, 0, deep),
                .rug)
        }
        var taken = markerBounds.map { [$0] } ?? []
        for index in 0..<count {
            let reach = bounds.size / 2 - 1.3
            let spot =
                index == 0
                ? Vector3(center.x, floor, center.z)
                : Vector3(center.x + reach.x * builder.between(-1, 1), floor, center.z + reach.z * builder.between(-1, 1))
            let size = style == .hall ? Vector3(0.45, 0.9, 0.45) : index == 0 ? Vector3(0.5, 0.75, 0.35) : Vector3(0.3, 0.75, 0.3)
            let box = BoundingBox(
                minimum: spot - Vector3(size.x, 0, size.z) * 1.3, maximum: spot + Vector3(size.x * 1.3, size.y, size.z * 1.3))
            guard isFree(box.minimum, box.maximum),
                !taken.contains(where: { all($0.minimum .< box.maximum) && all(box.minimum .< $0.maximum) })
            else { continue }
            taken.append(box)
            builder.frame = RoomBuilder.ObjectFrame(at: spot, rotatedBy: builder.between(-0.6, 0.6))
            addMiddlePiece(index, size)
            builder.frame = RoomBuilder.ObjectFrame()
        }
    }

    private mutating func addMiddlePiece(_ index: Int, _ size: Vector3) {
        if style == .hall {
            let isCabinet = index % 3 == 0
            builder.box(
                Vector3(-size.x, 0, -size.z), Vector3(size.x, size.y, size.z), isCabinet ? .metal : .crate,
                front: isCabinet ? .control : nil)
        } else if index == 0 {
            // A low table with objects.
            builder.box(Vector3(-0.5, 0.4, -0.35), Vector3(0.5, 0.44, 0.35), .wood)
            for leg in [Vector2(-0.47, -0.32), Vector2(0.42, -0.32), Vector2(-0.47, 0.27), Vector2(0.42, 0.27)] {
                builder.box(Vector3(leg.x, 0, leg.y), Vector3(leg.x + 0.05, 0.4, leg.y + 0.05), .darkWood)
            }
            builder.box(Vector3(-0.4, 0.44, -0.1), Vector3(-0.12, 0.47, 0.25), .white, top: .posterText)
            builder.box(Vector3(0.02, 0.44, -0.2), Vector3(0.28, 0.68, 0.06), .cardboard)
            builder.drum(Vector3(0.36, 0.44, 0.2), radius: 0.06, height: 0.2, .redFabric)
        } else {
            // A stool.
            builder.box(Vector3(-0.22, 0.42, -0.22), Vector3(0.22, 0.47, 0.22), .darkWood, top: .redFabric)
            for leg in [Vector2(-0.2, -0.2), Vector2(0.16, -0.2), Vector2(-0.2, 0.16), Vector2(0.16, 0.16)] {
                builder.box(Vector3(leg.x, 0, leg.y), Vector3(leg.x + 0.04, 0.42, leg.y + 0.04), .wood)
            }
        }
    }
}
