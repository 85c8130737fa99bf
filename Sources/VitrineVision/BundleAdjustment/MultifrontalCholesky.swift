import VitrineGeometry

/// The factorization Uᵀ U of a sparse symmetric positive definite matrix of 6 × 6 blocks with a dense border: the multifrontal method (Duff & Reid 1983)
/// in the order of `NestedDissection`.
///
/// Each node of the dissection has a dense front: the rows that it eliminates, and the blocks that they are coupled with. The remaining rows are
/// added to the front of its parent, children in ascending order, so that the result does not depend on the number of threads.
// `@unchecked Sendable`: every stored property is a constant, and only one thread writes the memory of a front.
final class MultifrontalCholesky: @unchecked Sendable {
    /// The upper triangle of the matrix.
    // `@unchecked Sendable`: only read.
    struct Matrix: @unchecked Sendable {
        /// The six rows of each block, with six columns for the block itself and for each of `later`, then the border's.
        let rows: [MatrixRows]
        /// The later blocks coupled with each block, in ascending order.
        let later: [[Int32]]
        /// The border's own rows.
        let border: MatrixRows
    }

    private static let block = 6
    /// The rows that are eliminated before the others are updated, and the rows of which one thread updates.
    private static let panelRows = 48, tileRows = 32
    /// Nodes with this depth are roots of subtrees, each of which one thread factors.
    private static let subtreeDepth = 4

    private struct Front {
        /// The blocks that it eliminates, in the first columns, and those coupled with them, from column `ownSize` on.
        let own: [Int32], boundary: [Int32]
        /// The number of eliminated rows, and that rounded up to a multiple of eight: the added rows are those of the identity.
        let ownCount: Int, ownSize: Int
        /// The column of the border: after the boundary; in the root, which eliminates the border, after its own blocks.
        let borderColumn: Int
        let width: Int
        /// The unknowns of the eliminated rows, and those of the other columns.
        let eliminated: [Part], rest: [Part]
        let children: [Int]
        /// The eliminated rows of U.
        let factor: RowStorage
    }

    /// Consecutive columns of a front, and the unknowns of the matrix that they are.
    private struct Part {
        let column: Int, unknown: Int, count: Int
    }

    private let fronts: [Front]
    private let order: [Int32]
    /// The blocks that are coupled with each block.
    private let neighbours: [[Int32]]
    private let border: Int
    /// The fronts of each subtree, and the fronts above them, children first.
    private let subtrees: [[Int]], top: [Int]

    /// Analyses the structure of a matrix.
    ///
    /// - Parameters:
    ///   - later: The later blocks that are coupled with each block, in ascending order.
    ///   - border: The number of unknowns coupled with all.
    init(later: [[Int32]], border: Int) {
        var neighbours = [[Int32]](repeating: [], count: later.count)
        for (block, others) in later.enumerated() { for other in others { neighbours[Int(other)].append(Int32(block)) } }
        for (block, others) in later.enumerated() { neighbours[block] += others }
        let dissection = NestedDissection(neighbours: neighbours)
        let root = dissection.nodes.count - 1
        fronts = dissection.nodes.enumerated().map { index, node in
            let (isRoot, ownBlocks) = (index == root, Self.block * node.own.count)
            let ownCount = ownBlocks + (isRoot ? border : 0)
            let ownSize = RowKernels.paddedCount(ownCount)
            let borderColumn = isRoot ? ownBlocks : ownSize + Self.block * node.boundary.count
            let width = RowKernels.paddedCount(isRoot ? ownSize : borderColumn + border)
            func parts(_ blocks: [Int32], from column: Int) -> [Part] {
                blocks.enumerated().map { Part(column: column + Self.block * $0, unknown: Self.block * Int($1), count: Self.block) }
            }
            let lenses = Part(column: borderColumn, unknown: Self.block * later.count, count: border)
            return Front(
                own: node.own, boundary: node.boundary, ownCount: ownCount, ownSize: ownSize, borderColumn: borderColumn, width: width,
                eliminated: parts(node.own, from: 0) + (isRoot ? [lenses] : []),
                rest: parts(node.boundary, from: ownSize) + (isRoot ? [] : [lenses]), children: node.children,
                factor: RowStorage(rows: ownSize, columns: width))
        }
        (self.neighbours, order, self.border) = (neighbours, dissection.order, border)
        var (subtrees, members): ([[Int]], [Int]) = ([], [])
        // Children come before their parents, and a subtree's fronts follow each other.
        for (index, node) in dissection.nodes.enumerated() where node.depth >= Self.subtreeDepth {
            members.append(index)
            if node.depth == Self.subtreeDepth {
                subtrees.append(members)
                members = []
            }
        }
        self.subtrees = subtrees
        top = dissection.nodes.indices.filter { dissection.nodes[$0].depth < Self.subtreeDepth }
    }

    /// Factors the matrix. Returns false if it is not positive definite.
    func factor(_ matrix: Matrix, _ parallel: Parallel) -> Bool {
        let results = parallel.map(subtrees.count) { index in
            self.factor(self.subtrees[index], matrix, [:]) { count, body in for index in 0..<count { body(index) } }
        }
        var open: [Int: Remainder] = [:]
        for result in results {
            guard let result else { return false }
            open.merge(result) { first, _ in first }
        }
        return factor(top, matrix, open, parallel.forEach) != nil
    }

    /// A factored front, whose rows after the eliminated ones belong to its parent.
    // `@unchecked Sendable`: its memory is not written after the front is factored.
    private struct Remainder: @unchecked Sendable {
        let storage: RowStorage
    }

    /// Factors fronts, children first.
    /// - Parameter open: The remainders of the other children.
    /// - Returns: The remainders of fronts whose parents are not among them; nil if the matrix is not positive definite.
    private func factor(
        _ indices: [Int], _ matrix: Matrix, _ open: [Int: Remainder], _ forEach: DenseCholesky.ForEach
    ) -> [Int: Remainder]? {
        var open = open
        var offsets = [Int32](repeating: -1, count: order.count)
        for index in indices {
            let front = fronts[index]
            let storage = RowStorage(rows: front.width, columns: front.width)
            let rows = storage.rows
            for (position, block) in front.own.enumerated() { offsets[Int(block)] = Int32(Self.block * position) }
            for (position, block) in front.boundary.enumerated() { offsets[Int(block)] = Int32(front.ownSize + Self.block * position) }
            assemble(front, isRoot: index == fronts.count - 1, matrix, offsets, rows)
            for child in front.children { add(open.removeValue(forKey: child)!, of: fronts[child], to: front, offsets, rows) }
            guard Self.eliminate(rows, front, forEach) else { return nil }
            front.factor.rows.start.update(from: rows.start, count: front.ownSize * rows.stride)
            open[index] = Remainder(storage: storage)
        }
        return open
    }

    /// Copies the matrix's elements in the eliminated rows.
    private func assemble(_ front: Front, isRoot: Bool, _ matrix: Matrix, _ offsets: [Int32], _ rows: MatrixRows) {
        let borderColumn = front.borderColumn
        for block in front.own {
            let (start, own) = (Int(offsets[Int(block)]), matrix.rows[Int(block)])
            for row in 0..<Self.block {
                for column in row..<Self.block { rows[start + row, start + column] = own[row, column] }
                let borderStart = Self.block * (1 + matrix.later[Int(block)].count)
                (rows[start + row] + borderColumn).update(from: own[row] + borderStart, count: border)
            }
            for other in neighbours[Int(block)] where order[Int(other)] > order[Int(block)] {
                let column = Int(offsets[Int(other)])
                if other > block {
                    let source = Self.block * (1 + Self.index(of: other, in: matrix.later[Int(block)]))
                    for row in 0..<Self.block { (rows[start + row] + column).update(from: own[row] + source, count: Self.block) }
                } else {
                    let source = matrix.rows[Int(other)].from(0, Self.block * (1 + Self.index(of: block, in: matrix.later[Int(other)])))
                    for row in 0..<Self.block { for k in 0..<Self.block { rows[start + row, column + k] = source[k, row] } }
                }
            }
        }
        if isRoot {
            for row in 0..<border {
                for column in row..<border { rows[borderColumn + row, borderColumn + column] = matrix.border[row, column] }
            }
        }
        for row in front.ownCount..<front.ownSize { rows[row, row] = 1 }
    }

    /// The index of a block in an ascending list that contains it.
    private static func index(of block: Int32, in list: [Int32]) -> Int {
        var (low, high) = (0, list.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < block { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds the remaining rows of a child.
    private func add(_ remainder: Remainder, of child: Front, to front: Front, _ offsets: [Int32], _ rows: MatrixRows) {
        let (source, borderColumn, sourceBorder) = (remainder.storage.rows, front.borderColumn, child.borderColumn)
        let targets = child.boundary.map { Int(offsets[Int($0)]) }
        for (position, target) in targets.enumerated() {
            for row in 0..<Self.block {
                let (from, to) = (source[child.ownSize + Self.block * position + row], rows[target + row])
                // The boundary's order is that of the elimination in both.
                for later in position..<targets.count {
                    let (column, own) = (child.ownSize + Self.block * later, targets[later])
                    for k in 0..<Self.block { to[own + k] += from[column + k] }
                }
                for k in 0..<border { to[borderColumn + k] += from[sourceBorder + k] }
            }
        }
        for row in 0..<border {
            let (from, to) = (source[sourceBorder + row] + sourceBorder, rows[borderColumn + row] + borderColumn)
            for column in row..<border { to[column] += from[column] }
        }
    }

    /// Eliminates the front's own rows.
    private static func eliminate(_ rows: MatrixRows, _ front: Front, _ forEach: DenseCholesky.ForEach) -> Bool {
        nonisolated(unsafe) let rows = rows
        let width = front.width
        for first in stride(from: 0, to: front.ownSize, by: panelRows) {
            let last = min(front.ownSize, first + panelRows)
            guard RowKernels.factor(rows.from(first, first), size: last - first, width: width - first) else { return false }
            forEach((width - last + tileRows - 1) / tileRows) { tile in
                let row = last + tile * tileRows
                RowKernels.subtractProduct(
                    rows.from(first, row), rows.from(first, row), from: rows.from(row, row), rows: min(tileRows, width - row),
                    columns: width - row, depth: last - first)
            }
        }
        return true
    }

    /// Solves Uᵀ U x = b in place, after `factor`. The vector has the blocks in ascending order, then the border.
    func solve(_ vector: UnsafeMutablePointer<Double>) {
        for front in fronts {
            withLocal(front, vector, isRestRead: false) { local in
                for k in 0..<front.ownSize {
                    let row = front.factor.rows[k]
                    local[k] /= row[k]
                    let value = local[k]
                    if value != 0 { for column in k + 1..<front.width { local[column] -= value * row[column] } }
                }
                for part in front.rest { for k in 0..<part.count { vector[part.unknown + k] += local[part.column + k] } }
            }
        }
        for front in fronts.reversed() {
            withLocal(front, vector, isRestRead: true) { local in
                for k in (0..<front.ownSize).reversed() {
                    let row = front.factor.rows[k]
                    var sum = local[k]
                    for column in k + 1..<front.width { sum -= row[column] * local[column] }
                    local[k] = sum / row[k]
                }
            }
        }
    }

    /// Calls `body` with the vector's elements in the order of a front's columns, and stores those of the eliminated rows.
    private func withLocal(
        _ front: Front, _ vector: UnsafeMutablePointer<Double>, isRestRead: Bool, _ body: (UnsafeMutablePointer<Double>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: Double.self, capacity: front.width) { local in
            local.initialize(repeating: 0)
            guard let start = local.baseAddress else { return }
            for part in isRestRead ? front.eliminated + front.rest : front.eliminated {
                (start + part.column).update(from: vector + part.unknown, count: part.count)
            }
            body(start)
            for part in front.eliminated { (vector + part.unknown).update(from: start + part.column, count: part.count) }
        }
    }

    /// An element of the border's rows of U.
    func borderFactor(_ row: Int, _ column: Int) -> Double {
        let root = fronts[fronts.count - 1]
        return root.factor.rows[root.borderColumn + row, root.borderColumn + column]
    }
}
