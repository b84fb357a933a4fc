"""The two dialects on the wire, protobuf and JSON, to and from the values of ``contract``.

``tinker_pb2`` is generated from ``learner/wire/tinker.proto``, which the TypeScript client shares. From this folder's
parent of parents (``learner/service``)::

    python -m grpc_tools.protoc -I ../wire --python_out=umagraph_learner/wire --pyi_out=umagraph_learner/wire tinker.proto
"""
